use serde_json::json;

use crate::testing::{Bed, file, line, said};

/// The ids of the entries that make the context of a file.
fn chosen(lines: &[String]) -> Vec<String> {
    let session = Bed::with(file(lines)).read();
    let entries = session.reduction().chosen().iter().map(|index| session.index.get(*index).unwrap());
    entries.map(|entry| entry.id().to_owned()).collect()
}

fn compaction(id: &str, parent: &str, first: Option<&str>) -> String {
    line("compaction", id, Some(parent), json!({ "summary": "s", "firstKeptEntryId": first, "tokensBefore": 1 }))
}

#[test]
fn without_a_compaction_every_entry_of_the_branch_counts() {
    let lines = [
        said("a", None, "a"),
        said("b", Some("a"), "b"),
        line("leaf", "c", Some("b"), json!({ "targetId": "a" })),
        said("d", Some("a"), "d"),
    ];
    assert_eq!(chosen(&lines), ["a", "d"]);
}

#[test]
fn a_compaction_keeps_from_the_entry_that_it_names() {
    let before = [said("a", None, "a"), said("b", Some("a"), "b"), said("x", Some("a"), "x")];
    for (first, kept) in [
        (Some("a"), &["c", "a", "b", "d"][..]),
        (Some("b"), &["c", "b", "d"]),
        // On another branch, itself, unknown, not named: nothing is kept.
        (Some("x"), &["c", "d"]),
        (Some("c"), &["c", "d"]),
        (Some("z"), &["c", "d"]),
        (None, &["c", "d"]),
    ] {
        let lines = [&before[..], &[compaction("c", "b", first), said("d", Some("c"), "d")]].concat();
        assert_eq!(chosen(&lines), kept, "{first:?}");
    }
}

/// 1.0.3 hangs the next entry below a `leaf` entry when it goes on with such a file.
#[test]
fn an_entry_below_a_move_is_on_the_branch_of_the_move() {
    let lines = [
        said("a", None, "a"),
        said("b", Some("a"), "b"),
        line("leaf", "c", Some("b"), json!({ "targetId": "a" })),
        said("d", Some("c"), "d"),
    ];
    assert_eq!(chosen(&lines), ["a", "b", "c", "d"]);
}
