//! Calls that a session was left with: which of them are made once more.

use std::path::Path;
use std::sync::Arc;

use seam_harness::{Event, Restore};
use seam_loop::message::now;
use seam_loop::{AgentEvent, CancellationToken, Decider, Message, Origin, Ruling};
use seam_session::journal::{Crossing, Done, Journal, JournalBounds, Json, Outcome, Record, Run, read as read_journal};
use seam_session::{Durability, NewEntry, NewSession, SessionLog};
use seam_tests::bed::{Bed, wait};
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};

use super::place;

const UNKNOWN: &str = "tool: Interrupted, outcome unknown";
const NOT_RUN: &str = "tool: Interrupted before it was run";

/// A session that ended with these calls open.
fn left_with(file: &Path, calls: &[(&str, &str, Value)]) -> SessionLog {
    ended_with(file, Durability::EachEntry, calls)
}

fn ended_with(file: &Path, durability: Durability, calls: &[(&str, &str, Value)]) -> SessionLog {
    let mut log = SessionLog::create(file, NewSession::new("/work"), durability).unwrap();
    open(&mut log, calls);
    log
}

/// The model makes calls, and nothing comes of them.
fn open(log: &mut SessionLog, calls: &[(&str, &str, Value)]) {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments }))
        .collect();
    let said = json!({
        "role": "assistant", "provider": "scripted", "model": "m", "content": calls, "stopReason": "toolUse",
        "timestamp": 1
    });
    for message in [json!({ "role": "user", "content": "hi", "timestamp": 1 }), said] {
        log.append(NewEntry::Message(message)).unwrap();
    }
}

fn read(path: &str) -> Value {
    json!({ "path": path })
}

fn run(call: &'static str, tool: &'static str, arguments: &Value, replay: &'static str) -> Record<'static> {
    let arguments = Json::of(arguments).unwrap();
    let origin = Json::new(r#""model""#);
    Record::Run(Run { call: call.into(), tool: tool.into(), arguments, origin, replay: replay.into() })
}

fn done(call: &'static str) -> Record<'static> {
    Record::Done(Done { call: call.into(), is_error: false, took_us: 1 })
}

/// A gate was asked about the call.
fn asked(call: &'static str) -> Record<'static> {
    Record::Crossing(Crossing {
        plugin: "p".into(),
        digest: "0".repeat(64).into(),
        seam: "tool-call".into(),
        function: "decide".into(),
        instance: 1,
        shadow: false,
        call: Some(call.into()),
        took_us: 1,
        input: Json::new("[]"),
        host: Vec::new(),
        outcome: Outcome::Answer(Json::new(r#""proceed""#)),
    })
}

/// What its journal says.
fn journal(log: &SessionLog, records: &[Record<'static>]) {
    let journal = Journal::of(log, JournalBounds::default()).unwrap();
    records.iter().for_each(|record| journal.write(record).unwrap());
    journal.save_point().unwrap();
}

/// Goes on with the session, whose workspace has a file `a`.
async fn resumed(bed: Bed, file: &Path) -> Talk {
    let bed = bed.file("a", "what a says");
    let mut talk = bed.begin(json!([says("done")]), Vec::new(), Some(file), Restore::Drop).await.unwrap();
    talk.say("on").await;
    talk
}

/// The ids of the calls that were made, with who decided what about them.
fn made(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let made = events.iter().filter_map(|event| match event {
        Event::Agent(AgentEvent::ToolExecutionEnd { tool_call_id, decisions, .. }) => {
            let decided = decisions.iter().map(|decision| match (&decision.by, &decision.ruling) {
                (Decider::Plugin(name), Ruling::Block { .. }) => format!(" {name} block"),
                (Decider::Plugin(name), _) => format!(" {name}"),
                (by, _) => format!(" {by:?}"),
            });
            Some(format!("{tool_call_id}{}", decided.collect::<String>()))
        }
        _ => None,
    });
    made.collect()
}

#[tokio::test]
async fn a_call_that_may_be_made_twice_is_made_once_more_before_anything_is_said() {
    let (_folder, file) = place();
    journal(&left_with(&file, &[("c1", "read", read("a"))]), &[run("c1", "read", &read("a"), "safe")]);
    let talk = resumed(Bed::new().everything("p", json!({ "observe": "quiet" })), &file).await;
    let shown = talk.transcript();
    assert_eq!((&*shown[0], &*shown[2]), ("user: hi", "tool: what a says"));
    assert_eq!(shown[3..], ["user: on", "assistant: done"]);
    assert_eq!(talk.last_request().messages[2..], shown[2..4]);
    // It took the way of every call.
    assert_eq!(made(&talk), ["c1 p p p"]);
    // In the file its result is that of the call, and whoever reads it next finds nothing amiss.
    talk.close().await;
    let talk = resumed(Bed::new(), &file).await;
    assert_eq!((talk.transcript()[..5].to_vec(), made(&talk)), (shown, Vec::new()));
}

/// Each has one reason not to be made again.
#[tokio::test]
async fn a_call_is_not_made_again_unless_all_agree() {
    let call = |tool| (("c1", tool, read("a")), read("a"));
    let bash = json!({ "command": "touch x" });
    let cases = [
        ("no journal", call("read"), None),
        ("its tool said that it may not", call("read"), Some(vec![run("c1", "read", &read("a"), "never")])),
        ("it was over", call("read"), Some(vec![run("c1", "read", &read("a"), "safe"), done("c1")])),
        ("the tool is not there", call("gone"), Some(vec![run("c1", "gone", &read("a"), "safe")])),
        ("the tool says that it may not", (("c1", "bash", bash.clone()), bash.clone()), {
            Some(vec![run("c1", "bash", &bash, "safe")])
        }),
        ("it is another tool that was called", call("read"), Some(vec![run("c1", "ls", &read("a"), "safe")])),
        ("the arguments do not fit any more", call("read"), {
            Some(vec![run("c1", "read", &json!({ "path": "a", "twice": true }), "safe")])
        }),
        ("the arguments are not prepared again", call("ls"), {
            Some(vec![run("c1", "ls", &json!({ "path": 7 }), "safe")])
        }),
        ("a part of the arguments was a secret", call("read"), {
            Some(vec![run("c1", "read", &json!({ "path": "[secret]" }), "safe")])
        }),
    ];
    for (reason, (call, _), records) in cases {
        let (_folder, file) = place();
        let log = left_with(&file, &[call]);
        if let Some(records) = records {
            journal(&log, &records);
        }
        drop(log);
        let talk = resumed(Bed::new(), &file).await;
        assert!(talk.transcript()[2].starts_with(UNKNOWN), "{reason}: {:?}", talk.transcript());
        assert_eq!(talk.transcript()[3..], ["user: on", "assistant: done"], "{reason}");
        assert!(!talk.bed.workspace.join("x").exists(), "{reason}");
    }
}

/// What somebody changed in the journal is not obeyed: without the change the call is made again.
#[tokio::test]
async fn a_journal_that_was_changed_leaves_a_call_interrupted() {
    for (changed, first) in [(false, "tool: what a says"), (true, UNKNOWN)] {
        let (_folder, file) = place();
        journal(&left_with(&file, &[("c1", "read", read("a"))]), &[run("c1", "read", &read("a"), "safe")]);
        if changed {
            let path = file.with_extension("journal");
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, text.replacen(r#""path":"a""#, r#""path":"b""#, 1)).unwrap();
        }
        let bed = Bed::new().file("a", "what a says").file("b", "what b says");
        let talk = resumed(bed, &file).await;
        assert!(talk.transcript()[2].starts_with(first), "{changed}: {:?}", talk.transcript());
    }
}

#[tokio::test]
async fn a_gate_that_refuses_now_and_a_rewriter_that_wants_other_arguments_leave_it_interrupted() {
    for (settings, decided) in [
        (json!({ "tool-call": { "do": "block", "tool": "read", "text": "no" } }), "c1 p p block"),
        (json!({ "rewrite-tool-call": { "do": "set", "tool": "read", "argument": "path", "text": "b" } }), "c1 p p"),
    ] {
        let (_folder, file) = place();
        journal(&left_with(&file, &[("c1", "read", read("a"))]), &[run("c1", "read", &read("a"), "safe")]);
        let mut settings = settings;
        settings["observe"] = json!("quiet");
        let talk = resumed(Bed::new().everything("p", settings).file("b", "what b says"), &file).await;
        assert!(talk.transcript()[2].starts_with(UNKNOWN), "{:?}", talk.transcript());
        assert_eq!(made(&talk), [decided]);
    }
}

#[tokio::test]
async fn the_tool_gets_what_it_got_and_not_what_the_model_asked_for() {
    let (_folder, file) = place();
    journal(&left_with(&file, &[("c1", "read", read("b"))]), &[run("c1", "read", &read("a"), "safe")]);
    let talk = resumed(Bed::new().file("b", "what b says"), &file).await;
    let changed = r#"[Changed before it ran. The tool got these arguments: {"path":"a"}]"#;
    assert_eq!(talk.transcript()[2], format!("tool: what a says {changed}"));
}

/// The rewriter that says the same again is named once. What patches results sees all of it.
#[tokio::test]
async fn who_changes_the_arguments_is_named_and_results_are_patched_with_that_note_in_them() {
    let same = json!({ "do": "set", "tool": "read", "argument": "path", "text": "a" });
    let all = json!({ "do": "change", "text": "all of it" });
    for (settings, end) in [
        (json!({ "rewrite-tool-call": same }), "by plugin `p`. The tool got these arguments: {\"path\":\"a\"}]"),
        (json!({ "rewrite-tool-call": same, "tool-result": all }), "all of it"),
    ] {
        let (_folder, file) = place();
        journal(&left_with(&file, &[("c1", "read", read("b"))]), &[run("c1", "read", &read("a"), "safe")]);
        let talk = resumed(Bed::new().everything("p", settings), &file).await;
        let shown = talk.transcript();
        assert!(shown[2].ends_with(end) && shown[2].matches("Changed").count() < 2, "{shown:?}");
    }
}

/// Models give an id again that stands on a branch which was left, or in what a compaction took out.
#[tokio::test]
async fn what_began_before_a_call_was_made_is_another_call_whatever_its_id() {
    let (_folder, file) = place();
    let mut log = left_with(&file, &[("c1", "read", read("a"))]);
    journal(&log, &[run("c1", "read", &read("a"), "safe")]);
    let written = now();
    while now() == written {
        wait(1).await;
    }
    log.move_to(None, None).unwrap();
    open(&mut log, &[("c1", "read", read("b"))]);
    journal(&log, &[asked("c1")]);
    drop(log);
    let talk = resumed(Bed::new().file("b", "what b says"), &file).await;
    assert!(talk.transcript()[2].starts_with(UNKNOWN), "{:?}", talk.transcript());
    assert_eq!(made(&talk), Vec::<String>::new());
}

/// When it is known that a call did not begin, the model is told so. The journal has to be whole, and to know of the
/// message: the session may have gone on where none was kept.
#[tokio::test]
async fn a_call_that_did_not_begin_is_told_apart_if_that_is_certain() {
    let calls = || [("c1", "bash", json!({ "command": "sleep 9" })), ("c2", "bash", json!({ "command": "sleep 9" }))];
    let began = || run("c1", "bash", &json!({ "command": "sleep 9" }), "never");
    for (records, first, second) in [
        (vec![asked("c1"), asked("c2")], NOT_RUN, NOT_RUN),
        (vec![asked("c1"), asked("c2"), began()], UNKNOWN, NOT_RUN),
        (vec![began()], UNKNOWN, NOT_RUN),
        (vec![asked("c0")], UNKNOWN, UNKNOWN),
        // A model may choose such an id: it says nothing of others.
        (vec![asked("c1"), asked("c2"), run("[secret]", "bash", &json!({}), "never")], NOT_RUN, NOT_RUN),
    ] {
        let (_folder, file) = place();
        journal(&left_with(&file, &calls()), &records);
        let talk = resumed(Bed::new(), &file).await;
        let shown = talk.transcript();
        assert!(shown[2].starts_with(first) && shown[3].starts_with(second), "{records:?}: {shown:?}");
    }
    let (_folder, file) = place();
    journal(&left_with(&file, &calls()), &[asked("c1"), asked("c2")]);
    let path = file.with_extension("journal");
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"took-us\":1", "\"took-us\":2");
    std::fs::write(&path, changed).unwrap();
    let talk = resumed(Bed::new(), &file).await;
    assert!(talk.transcript()[2].starts_with(UNKNOWN), "{:?}", talk.transcript());
}

/// Otherwise a loss of power may have taken the line that says so.
#[tokio::test]
async fn that_a_call_did_not_begin_is_said_only_where_that_it_begins_is_on_the_disk_before() {
    for (durability, expected) in
        [(Durability::EachEntry, NOT_RUN), (Durability::SavePoints, UNKNOWN), (Durability::Never, UNKNOWN)]
    {
        let (_folder, file) = place();
        let log = ended_with(&file, durability, &[("c1", "bash", json!({ "command": "sleep 9" }))]);
        journal(&log, &[asked("c1")]);
        drop(log);
        let talk = resumed(Bed::new(), &file).await;
        assert!(talk.transcript()[2].starts_with(expected), "{durability:?}: {:?}", talk.transcript());
    }
}

/// Each process counts anew, and the journal and the export find what belongs to a call by its id.
#[tokio::test]
async fn calls_of_the_user_have_ids_that_no_other_call_of_the_session_has() {
    let (folder, file) = place();
    // The conversation's file is made, and locked, only later.
    let journal_of = folder.path().join("of.jsonl");
    for _process in 0..2 {
        let journal = Journal::open(&journal_of, "s", JournalBounds::default()).unwrap();
        let mut talk = Bed::new().journal(Arc::new(journal)).talk_in(&file, json!([])).await;
        for _call in 0..2 {
            talk.harness.call(Origin::User, "ls", json!({}), &CancellationToken::new()).await;
        }
        talk.close().await;
    }
    let ids = read_journal(&journal_of).unwrap().filter_map(|found| match found.unwrap().1 {
        Record::Run(run) => Some(run.call.into_owned()),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["outside-1-1", "outside-1-2", "outside-2-1", "outside-2-2"]);
}

/// Nothing may come between a call and its result.
#[tokio::test]
async fn what_is_added_before_the_calls_have_results_comes_behind_these() {
    let (_folder, file) = place();
    left_with(&file, &[("c1", "read", read("a"))]);
    let mut talk = Bed::new().talk_in(&file, json!([says("done")])).await;
    talk.harness.append_message(seam_loop::message::CustomMessage {
        custom_type: "me/aside".to_owned(),
        content: vec![seam_loop::Content::text("by the way")],
        display: true,
        details: None,
        timestamp: 7,
    });
    talk.say("on").await;
    let shown = talk.transcript();
    assert!(shown[2].starts_with(UNKNOWN), "{shown:?}");
    assert_eq!(shown[3..], ["me/aside: by the way", "user: on", "assistant: done"]);
    talk.close().await;
    let talk = Bed::new().talk_in(&file, json!([])).await;
    assert_eq!(talk.transcript(), shown);
    let is_aside = |message: &Message| matches!(message, Message::Custom(_));
    assert!(is_aside(&talk.harness.transcript().messages()[3]));
}
