use std::fs;

use serde_json::json;

use crate::testing::{Bed, HEADER, file, heard, line, said, user};

#[test]
fn entries_are_found_by_id_and_read_as_they_stand() {
    let bed = Bed::with(file(&[
        said("a", None, "one"),
        line("custom", "b", Some("a"), json!({ "data": { "z": 1, "a": 2 } })),
    ]));
    let session = bed.read();
    assert_eq!(session.json("b").unwrap().to_string(), bed.text().lines().last().unwrap());
    assert_eq!(session.entry("b").unwrap().kind().name(), "custom");
    assert_eq!(session.parent(session.entry("b").unwrap()), session.entry("a"));
    assert_eq!(bed.said(session.json("c")), "session `FILE` has no entry `c`; choose one of its entries");
}

#[test]
fn the_messages_of_entries_are_read_whatever_branch_they_are_on_and_no_others() {
    let bed = Bed::with(file(&[
        said("a", None, "one"),
        said("b", None, "two"),
        said("c", Some("b"), "three"),
        line("custom", "d", Some("c"), json!({ "message": user("no message") })),
    ]));
    let mut messages = Vec::new();
    bed.read().each_message_of(|entry| entry.id() != "b", "user", |message| messages.push(message)).unwrap();
    assert_eq!(messages, [user("one"), user("three")]);
}

#[test]
fn the_messages_in_whose_lines_a_word_stands_are_given_however_it_is_written() {
    let escaped = said("d", None, "four").replace("four", "f\\u006fur");
    let bed = Bed::with(file(&[said("a", None, "one"), said("b", None, "four"), said("c", None, "two"), escaped]));
    let mut messages = Vec::new();
    bed.read().each_message_of(|_any| true, "four", |message| messages.push(message)).unwrap();
    assert_eq!(messages, [user("four"), user("four")]);
}

#[test]
fn what_is_added_to_a_file_later_is_not_in_a_session_that_was_read() {
    let bed = Bed::new();
    let mut log = bed.create();
    crate::testing::say(&mut log, "one");
    let session = bed.read();
    crate::testing::say(&mut log, "two");
    assert_eq!(session.context().unwrap().messages, [user("one")]);
}

#[test]
fn a_line_that_was_changed_behind_our_back_is_named() {
    let bed = Bed::with(file(&[said("a", None, "one")]));
    let session = bed.read();
    fs::write(bed.path(), HEADER).unwrap();
    let expected = "cannot read line 2 of session `FILE` again: unexpected end of file; was the file changed? open the \
                    session again";
    assert_eq!(bed.said(session.context()), expected);
    fs::write(bed.path(), file(&["x".repeat(300)])).unwrap();
    assert!(bed.said(session.json("a")).starts_with("cannot read line 2 of session `FILE` again: expected value"));
}

/// Bug log 100. A step that looked at all entries for each entry would take minutes here.
#[test]
fn a_session_of_100_000_entries_with_200_compactions_opens() {
    let mut text = format!("{HEADER}\n");
    for count in 0..100_000_u32 {
        let parent = count.checked_sub(1).map(|above| format!("{above:08x}"));
        let id = format!("{count:08x}");
        let next = if count % 500 == 499 {
            let first = format!("{:08x}", count - 400);
            line("compaction", &id, parent.as_deref(), json!({ "summary": "s", "firstKeptEntryId": first }))
        } else {
            said(&id, parent.as_deref(), "some words")
        };
        text += &next;
        text.push('\n');
    }
    let bed = Bed::with(&text);
    let session = bed.read();
    assert_eq!(session.entries().len(), 100_000);
    assert_eq!(session.branch().count(), 100_000);
    assert_eq!(heard(&session).len(), 400);
}
