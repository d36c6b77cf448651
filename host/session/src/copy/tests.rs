use std::fs;

use serde_json::json;

use super::ForkPoint;
use crate::testing::{Bed, HEADER, file, heard, line, said, say};
use crate::{BranchSummary, Durability, NewSession, Session, SessionError, SessionLog};

fn fork(source: &Session, point: ForkPoint, bed: &Bed) -> Result<SessionLog, SessionError> {
    SessionLog::fork(source, &point, bed.other("fork.jsonl"), NewSession::new("/other"), Durability::EachEntry)
}

/// Two branches: one, two; one, three.
fn two_branches() -> Bed {
    Bed::with(file(&[
        said("a", None, "one"),
        said("b", Some("a"), "two"),
        line("label", "c", Some("b"), json!({ "targetId": "a", "label": "start" })),
        line("leaf", "d", Some("c"), json!({ "targetId": "a" })),
        said("e", Some("a"), "three"),
    ]))
}

/// The lines of a file after its header.
fn entries(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn a_whole_fork_has_every_line_as_it_was() {
    let bed = two_branches();
    let log = fork(&bed.read(), ForkPoint::Whole, &bed).unwrap();
    assert_eq!(entries(&fs::read_to_string(bed.other("fork.jsonl")).unwrap()), entries(&bed.text()));
    let header = log.session().header();
    assert_eq!((header.cwd.as_str(), header.parent_session.as_deref()), ("/other", bed.path().to_str()));
    assert_ne!(header.id, "s-1");
    assert_eq!(log.session().context().unwrap(), bed.read().context().unwrap());
    assert_eq!(bed.files(), ["fork.jsonl", "talk.jsonl"]);
}

#[test]
fn a_fork_at_an_entry_has_the_branch_to_it() {
    let bed = two_branches();
    let log = fork(&bed.read(), ForkPoint::At("c".to_owned()), &bed).unwrap();
    assert_eq!(entries(&fs::read_to_string(bed.other("fork.jsonl")).unwrap()), entries(&bed.text())[..3]);
    assert_eq!(heard(log.session()), ["one", "two"]);
    assert_eq!(log.session().labels().collect::<Vec<_>>(), [("a", "start")]);
}

#[test]
fn a_fork_before_a_message_lets_the_user_say_something_else() {
    let bed = two_branches();
    let mut log = fork(&bed.read(), ForkPoint::Before("e".to_owned()), &bed).unwrap();
    say(&mut log, "other");
    assert_eq!(heard(log.session()), ["one", "other"]);
    assert_eq!(heard(&bed.read()), ["one", "three"]);
    fs::remove_file(bed.other("fork.jsonl")).unwrap();
    let first = fork(&bed.read(), ForkPoint::Before("a".to_owned()), &bed).unwrap();
    assert_eq!(first.session().entries(), []);
}

#[test]
fn a_fork_that_cannot_be_made_leaves_nothing() {
    let bed = two_branches();
    let not = "session `FILE` cannot be forked before entry `c`, which is not a user message; fork it at that entry";
    assert_eq!(bed.said(fork(&bed.read(), ForkPoint::Before("c".to_owned()), &bed)), not);
    let none = "session `FILE` has no entry `z`; choose one of its entries";
    assert_eq!(bed.said(fork(&bed.read(), ForkPoint::At("z".to_owned()), &bed)), none);
    // The source shrinks after it was read.
    let source = bed.read();
    fs::write(bed.path(), HEADER).unwrap();
    let gone = bed.said(fork(&source, ForkPoint::Whole, &bed));
    assert!(gone.starts_with("cannot read line 2 of session `FILE` again: "), "{gone}");
    assert_eq!(bed.files(), ["talk.jsonl"]);
}

#[test]
fn a_fork_overwrites_nothing() {
    let bed = two_branches();
    fs::write(bed.other("fork.jsonl"), "precious").unwrap();
    let said = bed.said(fork(&bed.read(), ForkPoint::Whole, &bed));
    assert_eq!(said, "cannot create session `FOLDER/fork.jsonl`: the file exists; open it, or choose another name");
    assert_eq!(fs::read_to_string(bed.other("fork.jsonl")).unwrap(), "precious");
}

/// The way out of a damaged file: bad lines are left out, and what hung below them is a root.
#[test]
fn a_fork_of_a_damaged_session_can_be_written() {
    let bed = Bed::with(file(&[
        said("a", None, "one"),
        said("b", Some("a"), "lost").replace("\"id\"", "\"id"),
        said("c", Some("b"), "two"),
    ]));
    let mut log = fork(&bed.read(), ForkPoint::Whole, &bed).unwrap();
    say(&mut log, "three");
    assert_eq!(log.session().notices(), []);
    assert_eq!(heard(log.session()), ["two", "three"]);
    assert!(log.session().entry("a").is_some());
}

/// 1.0.3 hangs entries below a `leaf` entry, whose target may be on a branch that a fork leaves behind.
#[test]
fn a_move_to_an_entry_that_is_not_copied_leads_nowhere_else() {
    let bed = Bed::with(file(&[
        said("a", None, "one"),
        said("b", Some("a"), "aside"),
        said("c", Some("a"), "two"),
        line("leaf", "d", Some("c"), json!({ "targetId": "b" })),
        said("e", Some("d"), "three"),
    ]));
    let log = fork(&bed.read(), ForkPoint::At("e".to_owned()), &bed).unwrap();
    assert_eq!(log.session().notices(), []);
    assert_eq!(heard(log.session()), ["one", "two", "three"]);
    assert_eq!(log.session().json("d").unwrap()["targetId"], "c");
}

#[test]
fn bytes_that_are_no_utf8_are_copied_as_they_are() {
    let mut bytes = file(&[said("a", None, "one")]).into_bytes();
    let at = bytes.windows(3).position(|three| three == b"one").unwrap();
    bytes[at] = 0xff;
    let bed = Bed::with(&bytes);
    fork(&bed.read(), ForkPoint::Whole, &bed).unwrap();
    let copied = fs::read(bed.other("fork.jsonl")).unwrap();
    assert!(copied.ends_with(&bytes[HEADER.len() + 1..]));
}

#[test]
fn an_old_session_is_migrated_into_a_copy() {
    let first = [
        r#"{"type":"session","id":"old","timestamp":"t","cwd":"/"}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":[{"text":"one"}]}}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"hookMessage","content":[{"text":"two"}]}}"#,
        r#"{"type":"compaction","timestamp":"t","summary":"s","tokensBefore":1,"firstKeptEntryIndex":2}"#,
    ];
    let bed = Bed::with(first.map(|line| format!("{line}\n")).concat());
    let before = bed.text();
    let refused = bed.said(SessionLog::open(bed.path(), Durability::Never));
    let expected =
        "session `FILE` has version 1, which is read but not written; fork it, or migrate it into a copy, to go on";
    assert_eq!(refused, expected);
    let mut log = SessionLog::migrate(&bed.read(), bed.other("new.jsonl"), Durability::Never).unwrap();
    assert_eq!(log.session().header().id, "old");
    assert_eq!(log.session().context().unwrap(), bed.read().context().unwrap());
    say(&mut log, "three");
    assert_eq!(heard(log.session()), ["two", "three"]);
    assert_eq!(bed.text(), before);
    let copied = fs::read_to_string(bed.other("new.jsonl")).unwrap();
    let expected = r#"{"type":"compaction","timestamp":"t","summary":"s","tokensBefore":1,"id":"00000003","parentId":"00000002","firstKeptEntryId":"00000002"}"#;
    assert_eq!(copied.lines().nth(3), Some(expected));
}

#[test]
fn a_fork_of_a_session_that_is_being_written_is_made() {
    let bed = Bed::new();
    let mut log = bed.create();
    let one = say(&mut log, "one");
    say(&mut log, "two");
    log.move_to(Some(&one), Some(BranchSummary { summary: "left".to_owned(), ..BranchSummary::default() })).unwrap();
    let forked = fork(log.session(), ForkPoint::Whole, &bed).unwrap();
    assert_eq!(forked.session().context().unwrap(), log.session().context().unwrap());
}
