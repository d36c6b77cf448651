use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use seam_loop::tool::ToolError;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::apply::{Change, Fault, apply};
use crate::testing::{Fixture, context};

fn change(old: &str, new: &str) -> Change {
    Change { old_text: old.to_owned(), new_text: new.to_owned() }
}

fn changed(text: &str, changes: &[(&str, &str)]) -> Result<String, Fault> {
    let changes: Vec<Change> = changes.iter().map(|(old, new)| change(old, new)).collect();
    apply(text, &changes, &CancellationToken::new())
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

#[test]
fn line_ends_stay_as_they_are() {
    let cases = [
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"),
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
        ("one\ntwo\r\nthree\rfour\n", "two", "2", "one\n2\r\nthree\rfour\n"),
        ("one\ntwo\r\nthree\rfour\n", "one\ntwo\nthree", "one\n2\nthree", "one\n2\r\nthree\rfour\n"),
        ("a\r\nx", "x", "y\nz", "a\r\ny\r\nz"),
        ("a\nx", "x", "y", "a\ny"),
        ("\u{feff}first\nsecond", "first", "1st", "\u{feff}1st\nsecond"),
        ("a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"),
    ];
    for (text, old, new, expected) in cases {
        assert_eq!(changed(text, &[(old, new)]), Ok(expected.to_owned()), "{text:?}");
    }
}

#[test]
fn several_edits_are_found_in_the_original() {
    let text = "a\r\nb\r\nc\r\nd\r\n";
    let edits = [("d", "a"), ("b\nc", "B\nC"), ("a\n", "b\n")];
    assert_eq!(changed(text, &edits), Ok("b\r\nB\r\nC\r\na\r\n".to_owned()));
    assert_eq!(changed("aabb", &[("aa", "x"), ("bb", "y")]), Ok("xy".to_owned()));
}

#[test]
fn each_fault_is_its_own() {
    assert_eq!(changed("abc", &[("a", "b"), ("", "x")]), Err(Fault::Empty(2)));
    assert_eq!(changed("abc", &[("a", "a")]), Err(Fault::NoChange(1)));
    assert_eq!(changed("abc", &[("x", "a")]), Err(Fault::Missing(1)));
    assert_eq!(changed("aaa", &[("aa", "b")]), Err(Fault::Ambiguous(1)));
    assert_eq!(changed("abc", &[("bc", "x"), ("ab", "y")]), Err(Fault::Overlap(1, 2)));
    assert_eq!(changed("abc", &[("b", "x"), ("b", "y")]), Err(Fault::Overlap(1, 2)));
    assert_eq!(changed("x\n\u{201c}a\u{201d} \u{2014} b\n", &[("\"a\" - b", "c")]), Err(Fault::Similar(1, 2)));
    assert_eq!(changed("print(\u{ff02}x\u{ff02})\u{ff1b}", &[("print(\"x\");", "y")]), Err(Fault::Similar(1, 1)));
}

#[tokio::test]
async fn a_fault_changes_nothing() {
    let fixture = Fixture::new();
    fixture.put("f", "a b");
    let edits = json!([{ "oldText": "a", "newText": "x" }, { "oldText": "none", "newText": "y" }]);
    let why = "`f` was not changed: the oldText of edit 2 is not in the file; read the file again and copy the passage \
               exactly.";
    assert_eq!(fixture.said("edit", json!({ "path": "f", "edits": edits })).await, Err(why.to_owned()));
    assert_eq!(fixture.content("f"), "a b");
    fixture.put("latin1", b"M\xfcll\nqty=5\n");
    let why = "`latin1` is not UTF-8 text, so it was not changed.";
    assert_eq!(fixture.said("edit", edit("latin1", "qty=5", "qty=6")).await, Err(why.to_owned()));
    assert_eq!(fixture.bytes("latin1"), b"M\xfcll\nqty=5\n");
    let why = "`none` does not exist. Use `write` to create it.";
    assert_eq!(fixture.said("edit", edit("none", "a", "b")).await, Err(why.to_owned()));
}

#[tokio::test]
async fn the_result_shows_what_changed() {
    let fixture = Fixture::new();
    fixture.put("f", "1\n2\n3\n");
    let output = fixture.run("edit", edit("f", "2", "two")).await.unwrap();
    assert_eq!(output.content, [seam_loop::message::Content::text("Made 1 edit in `f`.")]);
    let details = json!({ "diff": "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n", "firstChangedLine": 2 });
    assert_eq!(output.details, Some(details));
}

#[tokio::test]
async fn an_edit_through_a_link_keeps_link_and_mode() {
    let fixture = Fixture::new();
    fixture.put("real.sh", "echo a\n");
    std::fs::set_permissions(fixture.root.join("real.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("real.sh", fixture.root.join("s.sh")).unwrap();
    fixture.said("edit", edit("s.sh", "a", "b")).await.unwrap();
    assert!(fixture.root.join("s.sh").is_symlink());
    assert_eq!(fixture.content("real.sh"), "echo b\n");
    assert_eq!(std::fs::metadata(fixture.root.join("real.sh")).unwrap().mode() & 0o7777, 0o755);
}

#[tokio::test]
async fn parallel_edits_by_different_names_are_all_made() {
    let fixture = Fixture::new();
    symlink("f", fixture.root.join("g")).unwrap();
    let absolute = fixture.root.join("f");
    let names = ["f", "./f", "g", absolute.to_str().unwrap(), "g", "f"];
    for round in 0..20 {
        fixture.put("f", "1 2 3 4 5 6");
        let mut running = tokio::task::JoinSet::new();
        for (number, name) in names.iter().enumerate() {
            let call = fixture
                .resolve("edit", edit(name, &(number + 1).to_string(), &format!("<{}>", "x".repeat(number))))
                .await;
            running.spawn(call.run(context()));
        }
        for result in running.join_all().await {
            result.unwrap();
        }
        assert_eq!(fixture.content("f"), "<> <x> <xx> <xxx> <xxxx> <xxxxx>", "round {round}");
    }
}

/// A text of that many numbered lines, and edits that change each of its first lines.
fn many(lines: usize, edits: usize) -> (String, Vec<Value>) {
    let text = (0..lines).map(|number| format!("line {number};\n")).collect();
    let edit = |number| json!({ "oldText": format!("line {number};"), "newText": format!("row {number};") });
    (text, (0..edits).map(edit).collect())
}

#[tokio::test]
async fn large_edits_are_quick() {
    let fixture = Fixture::new();
    fixture.put("a", "a".repeat(400_000));
    let why =
        "`a` was not changed: the oldText of edit 1 occurs more than once; add lines around it until it occurs once.";
    let began = Instant::now();
    assert_eq!(fixture.said("edit", edit("a", &"a".repeat(200_000), "b")).await, Err(why.to_owned()));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let (text, edits) = many(200_000, 2_500);
    fixture.put("f", &text);
    let began = Instant::now();
    let said = fixture.said("edit", json!({ "path": "f", "edits": edits })).await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(said, Ok("Made 2500 edits in `f`.".to_owned()));
    assert_eq!(fixture.content("f").matches("row").count(), 2_500);
}

#[test]
fn passages_are_found_across_pieces() {
    let text = format!("{}needle one{}needle two", "x".repeat(4 * 1024 * 1024 - 3), "x".repeat(5 * 1024 * 1024));
    let expected = text.replace("needle one", "1").replace("needle two", "2");
    assert_eq!(changed(&text, &[("needle one", "1"), ("needle two", "2")]), Ok(expected));
    assert_eq!(changed(&text, &[("needle one", "1")]), Ok(text.replace("needle one", "1")));
    assert_eq!(changed(&text, &[("needle one", "1"), ("needle", "2")]), Err(Fault::Ambiguous(2)));
    let large = "x".repeat(4 * 1024 * 1024);
    assert_eq!(changed(&text, &[("needle one", "1"), (&large, "2")]), Err(Fault::Ambiguous(2)));
}

#[tokio::test]
async fn an_abort_ends_an_edit_and_nothing_is_written_later() {
    let fixture = Fixture::new();
    let (text, edits) = many(1_000_000, 2_500);
    fixture.put("f", &text);
    let (call, context) = (fixture.resolve("edit", json!({ "path": "f", "edits": edits })).await, context());
    let abort = context.abort.clone();
    let running = tokio::spawn(call.run(context));
    tokio::time::sleep(Duration::from_millis(20)).await;
    abort.cancel();
    let began = Instant::now();
    assert!(matches!(running.await.unwrap(), Err(ToolError::Aborted)));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(fixture.content("f") == text);
}

#[tokio::test]
async fn an_edit_that_is_dropped_writes_nothing() {
    let fixture = Fixture::new();
    let (text, edits) = many(1_000_000, 2_500);
    fixture.put("f", &text);
    let call = fixture.resolve("edit", json!({ "path": "f", "edits": edits })).await;
    assert!(tokio::time::timeout(Duration::from_millis(20), call.run(context())).await.is_err());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(fixture.content("f") == text);
    assert_eq!(std::fs::read_dir(&fixture.root).unwrap().count(), 1, "no temporary file is left");
    let (path, abort) = (fixture.root.join("f"), CancellationToken::new());
    let lock = fixture.workspace.locks().hold(&path, &abort);
    assert!(tokio::time::timeout(Duration::from_secs(10), lock).await.is_ok(), "the work has ended");
    assert!(fixture.content("f") == text);
}
