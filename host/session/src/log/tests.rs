use std::fs;

use serde_json::{Value, json};

use super::SessionLog;
use crate::testing::{Bed, HEADER, TIME, file, heard, said, say, user};
use crate::{BranchSummary, Compaction, Durability, NewEntry, NewSession, Problem, Session};

mod other_processes;
mod property;

#[test]
fn every_type_of_entry_is_written_as_the_reference_writes_it() {
    let bed = Bed::new();
    let mut log = bed.create();
    let first = say(&mut log, "one");
    let compaction =
        Compaction { summary: "s".to_owned(), first_kept: first.clone(), tokens_before: 7, ..Default::default() };
    for entry in [
        NewEntry::ModelChange { provider: "p".to_owned(), model_id: "m".to_owned() },
        NewEntry::ThinkingLevelChange("high".to_owned()),
        NewEntry::ActiveToolsChange(vec!["read".to_owned()]),
        NewEntry::Compaction(compaction),
        NewEntry::Custom { custom_type: "c".to_owned(), data: Some(json!({ "b": 1, "a": 2 })) },
        NewEntry::CustomMessage { custom_type: "c".to_owned(), content: "x".into(), display: true, details: None },
    ] {
        log.append(entry).unwrap();
    }
    log.label(&first, Some("start")).unwrap();
    log.label(&first, None).unwrap();
    log.name(" a\r\n\nb ").unwrap();
    let summary = BranchSummary { summary: "left".to_owned(), details: Some(json!([])), from_hook: Some(true) };
    log.move_to(Some(&first), Some(summary)).unwrap();
    log.move_to(None, None).unwrap();
    let text = bed.text().replace(&first, "FIRST");
    let bare: Vec<String> = text.lines().skip(1).map(bare).collect();
    assert_eq!(
        bare,
        [
            r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"one"}],"timestamp":1}}"#,
            r#"{"type":"model_change","provider":"p","modelId":"m"}"#,
            r#"{"type":"thinking_level_change","thinkingLevel":"high"}"#,
            r#"{"type":"active_tools_change","activeToolNames":["read"]}"#,
            r#"{"type":"compaction","summary":"s","firstKeptEntryId":"FIRST","tokensBefore":7}"#,
            r#"{"type":"custom","customType":"c","data":{"b":1,"a":2}}"#,
            r#"{"type":"custom_message","customType":"c","content":"x","display":true}"#,
            r#"{"type":"label","targetId":"FIRST","label":"start"}"#,
            r#"{"type":"label","targetId":"FIRST"}"#,
            r#"{"type":"session_info","name":"a b"}"#,
            r#"{"type":"leaf","targetId":"FIRST"}"#,
            r#"{"type":"branch_summary","fromId":"FIRST","summary":"left","details":[],"fromHook":true}"#,
            r#"{"type":"leaf","targetId":null}"#,
        ]
    );
}

/// A line without what differs each time; the order of its first fields is checked.
fn bare(line: &str) -> String {
    let mut value: Value = serde_json::from_str(line).unwrap();
    let fields = value.as_object_mut().unwrap();
    assert_eq!(fields.keys().take(4).collect::<Vec<_>>(), ["type", "id", "parentId", "timestamp"]);
    for name in ["id", "parentId", "timestamp"] {
        fields.shift_remove(name);
    }
    value.to_string()
}

#[test]
fn entries_hang_below_the_leaf() {
    let bed = Bed::new();
    let mut log = bed.create();
    let one = say(&mut log, "one");
    let two = say(&mut log, "two");
    log.move_to(Some(&one), None).unwrap();
    let three = say(&mut log, "three");
    let session = bed.read();
    let parent = |id: &str| session.parent(session.entry(id).unwrap()).map(|parent| parent.id().to_owned());
    assert_eq!([parent(&one), parent(&two), parent(&three)], [None, Some(one.clone()), Some(one.clone())]);
    assert_eq!(session.leaf().unwrap().id(), three);
    assert_eq!(heard(&session), ["one", "three"]);
    assert_eq!(session.context_at(&two).unwrap().messages, [user("one"), user("two")]);
}

#[test]
fn a_file_that_exists_is_not_overwritten() {
    let bed = Bed::with("precious");
    let said = bed.said(SessionLog::create(bed.path(), NewSession::new("/"), Durability::Never));
    assert_eq!(said, "cannot create session `FILE`: the file exists; open it, or choose another name");
    assert_eq!(bed.text(), "precious");
    let nowhere = SessionLog::create(bed.other("no/talk.jsonl"), NewSession::new("/"), Durability::Never);
    let expected = "cannot create session `FOLDER/no/talk.jsonl`: No such file or directory (os error 2); choose another \
                    folder, or make this one writable";
    assert_eq!(bed.said(nowhere), expected);
}

/// Bug log 84.
#[test]
fn a_second_writer_is_refused_while_readers_are_not() {
    let bed = Bed::new();
    let mut log = bed.create();
    say(&mut log, "one");
    let expected = "session `FILE` is locked: another process has it open for writing; close that one, read the session \
                    without writing, or fork it to a new file (the lock is on the file itself and ends with its process)";
    assert_eq!(bed.said(SessionLog::open(bed.path(), Durability::Never)), expected);
    assert_eq!(heard(&bed.read()), ["one"]);
    drop(log);
    say(&mut bed.open(), "two");
    assert_eq!(heard(&bed.read()), ["one", "two"]);
}

/// Bug log 82.
#[test]
fn a_cut_last_line_is_moved_aside_and_the_next_entry_has_its_own_line() {
    let whole = file(&[said("a", None, "one")]);
    let bed = Bed::with(whole.clone() + r#"{"type":"message","id":"b","par"#);
    let mut log = bed.open();
    let notice = log.session().notices()[0].clone();
    let Problem::Torn { bytes: 31, kept: Some(aside) } = &notice.problem else { panic!("{notice:?}") };
    assert!(aside.to_str().unwrap().starts_with(&format!("{}.torn-20", bed.path().display())), "{aside:?}");
    assert_eq!(notice.to_string(), format!("line 3 was cut after 31 bytes; they were moved to `{}`", aside.display()));
    assert_eq!(fs::read_to_string(aside).unwrap(), r#"{"type":"message","id":"b","par"#);
    say(&mut log, "two");
    assert_eq!(log.session().entries()[1].line(), 3);
    drop(log);
    assert!(bed.text().starts_with(&whole));
    assert_eq!(bed.open().session().notices(), []);
    assert_eq!(heard(&bed.read()), ["one", "two"]);
    assert_eq!(bed.files().len(), 2);
}

#[test]
fn a_file_that_ends_in_zeros_was_cut_too() {
    let bed = Bed::with(file(&[said("a", None, "one")]) + &"\0".repeat(200_000));
    let mut log = bed.open();
    say(&mut log, "two");
    assert_eq!(heard(&bed.read()), ["one", "two"]);
    let aside = bed.files().into_iter().find(|name| name.contains(".torn-")).unwrap();
    assert_eq!(fs::read(bed.other(&aside)).unwrap(), vec![0; 200_000]);
}

#[test]
fn a_missing_line_end_is_added() {
    for text in [HEADER.to_owned(), file(&[]) + &said("a", None, "one")] {
        let bed = Bed::with(&text);
        say(&mut bed.open(), "two");
        let (before, after) = (text.clone() + "\n", bed.text());
        assert!(after.starts_with(&before), "{after}");
        assert_eq!(heard(&bed.read()).last().unwrap(), "two");
        assert_eq!(bed.read().notices(), []);
        assert_eq!(bed.files(), ["talk.jsonl"]);
    }
}

#[test]
fn a_damaged_session_takes_no_entries() {
    let bad = file(&[said("a", None, "one"), "{".to_owned(), said("c", Some("b"), "two")]);
    let bed = Bed::with(&bad);
    let expected = "session `FILE` is damaged and takes no more entries: line 3 is not JSON that can be read: EOF while \
                    parsing an object at line 1 column 1 (and 1 more); read it without writing, or fork it: a fork keeps \
                    all that can be read";
    assert_eq!(bed.said(SessionLog::open(bed.path(), Durability::Never)), expected);
    assert_eq!(bed.text(), bad);
    assert_eq!(heard(&bed.read()), ["two"]);
}

#[test]
fn what_would_be_no_entry_is_refused_before_it_is_written() {
    let bed = Bed::new();
    let mut log = bed.create();
    let one = say(&mut log, "one");
    say(&mut log, "two");
    log.move_to(Some(&one), None).unwrap();
    let (before, leaf) = (bed.text(), log.session().leaf().cloned());
    let other = log.session().entries()[1].id().to_owned();
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let not = |reason: &str| format!("the entry was not stored in session `FILE`: its line {reason}; correct it");
    let no_object = log.append(NewEntry::Message("hello".into()));
    assert_eq!(bed.said(no_object), not("has no `message` that is an object"));
    let too_deep = bed.said(log.append(NewEntry::Custom { custom_type: "c".to_owned(), data: Some(deep) }));
    assert!(too_deep.contains("recursion limit exceeded"), "{too_deep}");
    let unknown = "session `FILE` has no entry `zz`; choose one of its entries";
    assert_eq!(bed.said(log.label("zz", Some("l"))), unknown);
    assert_eq!(bed.said(log.move_to(Some("zz"), None)), unknown);
    let compaction = Compaction { first_kept: other.clone(), ..Compaction::default() };
    let beside = format!(
        "entry `{other}` of session `FILE` is not on the branch to the leaf, so a compaction cannot keep from there; \
         choose an entry of the branch"
    );
    assert_eq!(bed.said(log.append(NewEntry::Compaction(compaction))), beside);
    assert_eq!((bed.text(), log.session().leaf().cloned()), (before, leaf));
    say(&mut log, "still fine");
}

#[test]
fn an_entry_over_the_limit_is_refused() {
    let bed = Bed::new();
    let mut log = bed.create();
    let text = "x".repeat(crate::MAX_LINE as usize);
    let said = bed.said(log.append(NewEntry::Message(user(&text))));
    assert!(said.contains(" bytes, and a line of session `FILE` has at most 134217728; shorten it"), "{said}");
    assert_eq!(bed.text().lines().count(), 1);
}

#[test]
fn what_another_program_wrote_stops_the_writing() {
    let bed = Bed::new();
    let mut log = bed.create();
    say(&mut log, "one");
    let before = bed.text();
    fs::write(bed.path(), format!("{before}{}\n", said("b", None, "other"))).unwrap();
    let found = fs::metadata(bed.path()).unwrap().len();
    let expected = format!(
        "the entry was not stored: another program changed session `FILE`, which should have {} bytes and has {found}; \
         end that program and open the session again",
        before.len()
    );
    assert_eq!(bed.said(log.append(NewEntry::Message(user("two")))), expected);
    fs::remove_file(bed.path()).unwrap();
    let expected = "the entry was not stored: writing line 3 of session `FILE` failed: the file was removed; the session \
                    is as it was before, so mend the cause and try again";
    assert_eq!(bed.said(log.append(NewEntry::Message(user("two")))), expected);
    assert_eq!(heard(log.session()).len(), 1);
}

#[test]
fn numbers_and_order_come_back_as_they_were_written() {
    let bed = Bed::new();
    let odd =
        r#"{"role":"user","z":0.1,"a":1.7976931348623157e+308,"m":9007199254740993,"c":0.015149999999999999,"b":-0.0}"#;
    let message: Value = serde_json::from_str(odd).unwrap();
    bed.create().append(NewEntry::Message(message)).unwrap();
    assert!(bed.text().contains(odd), "{}", bed.text());
    assert_eq!(bed.read().context().unwrap().messages[0].to_string(), odd);
}

/// Bug log 100: a line of 100 MB, as large as any result may be.
#[test]
fn a_line_of_100_mb_is_written_and_read() {
    let bed = Bed::new();
    let mut log = bed.create();
    let text = "é".repeat(50_000_000);
    say(&mut log, &text);
    say(&mut log, "after");
    let session = Session::read(bed.path()).unwrap();
    assert!(heard(&session) == [text.as_str(), "after"]);
    assert_eq!(session.notices(), []);
}

#[test]
fn entries_have_the_time_of_their_writing() {
    let bed = Bed::new();
    let mut log = bed.create();
    let before = crate::time::now();
    let id = log.append(NewEntry::CustomMessage {
        custom_type: "c".to_owned(),
        content: "x".into(),
        display: true,
        details: None,
    });
    let written =
        log.session().json(&id.unwrap()).unwrap()["timestamp"].as_str().and_then(crate::time::millis).unwrap();
    assert!((before..=crate::time::now()).contains(&written) && written > TIME - 1_000_000_000_000);
}
