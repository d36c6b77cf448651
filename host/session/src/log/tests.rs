use std::fs;

use serde_json::{Value, json};

use crate::testing::{Bed, HEADER, TIME, file, heard, line, said, say, user};
use crate::{BranchSummary, Compaction, NewEntry, Problem, Session};

mod other_processes;
mod property;
mod refusals;

#[test]
fn every_type_of_entry_is_written_as_the_reference_writes_it() {
    let bed = Bed::new();
    let mut log = bed.create();
    let first = say(&mut log, "one");
    let compaction =
        Compaction { summary: "s".to_owned(), first_kept: Some(first.clone()), tokens_before: 7, ..Default::default() };
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
fn a_compaction_may_keep_nothing() {
    let bed = Bed::new();
    let mut log = bed.create();
    say(&mut log, "one");
    let compaction = Compaction { summary: "all".to_owned(), ..Compaction::default() };
    let id = log.append(NewEntry::Compaction(compaction)).unwrap();
    assert_eq!(log.session().json(&id).unwrap()["firstKeptEntryId"], id);
    let messages = log.session().context().unwrap().messages;
    assert_eq!(messages.iter().map(|message| &message["role"]).collect::<Vec<_>>(), ["compactionSummary"]);
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

/// Bug log 92: what a request needs is mended by whoever makes the request. The file is opened and stays as it is.
#[test]
fn calls_without_results_and_results_without_calls_keep_no_session_from_going_on() {
    let call =
        json!({ "message": { "role": "assistant", "content": [{ "type": "toolCall", "id": "c1", "name": "read" }] } });
    let result = json!({ "message": { "role": "toolResult", "toolCallId": "c2", "content": [] } });
    let text = file(&[
        line("message", "a", None, result.clone()),
        line("message", "b", Some("a"), call.clone()),
        line("message", "c", Some("b"), result.clone()),
        line("message", "d", Some("c"), result.clone()),
    ]);
    let bed = Bed::with(&text);
    let mut log = bed.open();
    say(&mut log, "on");
    assert!(bed.text().starts_with(&text));
    let messages = [&result, &call, &result, &result].map(|entry| entry["message"].clone());
    assert_eq!(log.session().context().unwrap().messages, [&messages[..], &[user("on")]].concat());
    assert_eq!(log.session().notices(), []);
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

#[test]
fn only_a_new_file_without_entries_is_removed() {
    let bed = Bed::new();
    bed.create().remove_if_unused().unwrap();
    assert!(!bed.path().exists());
    let mut log = bed.create();
    say(&mut log, "one");
    log.remove_if_unused().unwrap();
    drop(log);
    bed.open().remove_if_unused().unwrap();
    let empty = Bed::with(file(&[]));
    empty.open().remove_if_unused().unwrap();
    assert!(bed.path().exists() && empty.path().exists());
}
