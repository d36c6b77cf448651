//! Each plugin sees everything it asked for, in the order of what happened.

use std::time::Duration;

use seam_loop::{CancellationToken, Model};
use seam_tests::bed::Bed;
use seam_tests::{files, notes};
use serde_json::json;

use super::{calls, says};

/// A whole conversation as an observer sees it: the quick one, and the slow one too. Every event names the session.
#[tokio::test]
async fn a_whole_conversation_is_seen_in_order() {
    let quiet = json!({ "observe": "quiet" });
    let bed = Bed::new()
        .everything("offers", json!({ "observe": "quiet", "resources-discover": { "skills": [["s", "d", "t"]] } }))
        .plugin("order-some", &files::guest("observer"), json!({}))
        .everything("order-quick", json!({}))
        .everything("order-slow", json!({ "observe": { "busy": 3 } }))
        .time_limit("order-slow", 10_000)
        .everything("quiet", quiet);
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), says("a"), says("b")]);
    let mut talk = bed.talk(turns).await;
    talk.say("1").await;
    talk.harness.set_model(Model { provider: "scripted".to_owned(), id: "n".to_owned() });
    talk.say("2").await;
    talk.close().await;

    let quick = notes::take("order-quick");
    let session = quick[0].split(' ').nth(1).unwrap().to_owned();
    let short = |note: &String| note.replace(&session, "S").split(" offers@").next().unwrap_or_default().to_owned();
    insta::assert_snapshot!(quick.iter().map(short).collect::<Vec<_>>().join("\n"), @r#"
    session-start: S startup -
    resources-update: S s -
    agent-start: S
    turn-start: S 1
    message-start: S user -
    message-end: S 0
    message-start: S assistant -
    message-update: S call-start 0 "" -
    message-update: S call-delta 0 "{\"text\":\"x\"}" -
    message-update: S call-end 0 "" c1
    message-end: S 1
    tool-execution-start: S c1 echo {"text":"x"}
    tool-execution-end: S c1 echo "x" - false
    message-start: S tool c1
    message-end: S 2
    turn-end: S 1 1 2..3
    save-point: S false
    turn-start: S 2
    message-start: S assistant -
    message-update: S text-start 0 "" -
    message-update: S text-delta 0 "a" -
    message-update: S text-end 0 "" -
    message-end: S 3
    turn-end: S 2 3 4..4
    save-point: S false
    agent-end: S 0..4 stop -
    settled: S 0
    model-select: S scripted/n scripted/m
    agent-start: S
    turn-start: S 1
    message-start: S user -
    message-end: S 4
    message-start: S assistant -
    message-update: S text-start 0 "" -
    message-update: S text-delta 0 "b" -
    message-update: S text-end 0 "" -
    message-end: S 5
    turn-end: S 1 5 6..6
    save-point: S false
    agent-end: S 4..6 stop -
    settled: S 0
    session-shutdown: S quit
    "#);
    assert_eq!(notes::take("order-slow"), quick);

    // A plugin sees what it exports and nothing else.
    let exports = ["agent-start:", "message-end:", "message-update:", "settled:", "tool-execution-end:"];
    let some = quick.iter().filter(|note| exports.iter().any(|seam| note.starts_with(seam)));
    assert_eq!(notes::take("order-some"), some.cloned().collect::<Vec<_>>());
    assert_eq!(notes::take("quiet"), Vec::<String>::new());
}

/// An observer is told while the run lasts, not after it.
#[tokio::test]
async fn a_run_is_seen_while_it_lasts() {
    let slow = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let mut talk = Bed::new().everything("live", json!({})).talk(json!([slow])).await;
    let abort = CancellationToken::new();
    let watches = async {
        let mut notes = Vec::new();
        while !notes.iter().any(|note: &String| note.starts_with("message-end")) {
            tokio::time::sleep(Duration::from_millis(5)).await;
            notes.extend(notes::take("live"));
        }
        abort.cancel();
    };
    let ((), _) = tokio::join!(watches, talk.say_until("1", &abort));
    talk.close().await;
}

/// Observers are at work while every thread of the runtime is busy: they have one of their own.
#[tokio::test]
async fn observers_need_no_thread_of_the_run() {
    let stuck = json!({ "observe": "loop" });
    let bed = Bed::new().everything("own-loops", stuck).time_limit("own-loops", 60_000).everything("own", json!({}));
    let talk = bed.talk(json!([])).await;
    let mut notes = Vec::new();
    for _ in 0..10_000 {
        // Not asynchronous: the only thread of the runtime does nothing else.
        std::thread::sleep(Duration::from_millis(1));
        notes.extend(notes::take("own"));
        if !notes.is_empty() {
            break;
        }
    }
    assert!(notes.first().is_some_and(|note| note.starts_with("session-start")), "{notes:?}");
    drop(talk);
}
