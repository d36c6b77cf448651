//! A provider that fails for a while.

use std::path::PathBuf;
use std::time::Duration;

use seam_harness::{Event, Heard, Phase, RetrySettings, SessionEvent, Upkeep};
use seam_loop::{AgentEvent, CancellationToken, Message, StopReason};
use seam_tests::bed::{Bed, wait};
use seam_tests::talk::{Talk, calls, entries, says};
use serde_json::{Value, json};
use tempfile::TempDir;

fn upkeep(max: u32, base: Duration) -> Upkeep {
    Upkeep { retry: RetrySettings { max, base }, ..Upkeep::default() }
}

fn fast() -> Upkeep {
    upkeep(3, Duration::from_millis(1))
}

fn busy() -> Value {
    json!({ "content": [{ "text": "I w" }], "error": { "message": "busy", "kind": "transient" } })
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    (folder, file)
}

fn outcome(heard: Heard) -> (StopReason, Option<String>) {
    match heard {
        Heard::Ran(outcome) => (outcome.stop_reason, outcome.error),
        other => panic!("{other:?}"),
    }
}

/// `ATTEMPT of OF after MS: ERROR`.
fn retries(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let retries = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::RetryScheduled { attempt, of, wait_ms, error }) => {
            Some(format!("{attempt} of {of} after {wait_ms}: {error}"))
        }
        _ => None,
    });
    retries.collect()
}

#[tokio::test]
async fn it_is_asked_again_and_nothing_that_was_done_is_done_again() {
    let (_folder, file) = place();
    let lost = json!({ "throws": { "message": "no line", "kind": "transient" } });
    let turns = json!([calls("echo", "x"), busy(), lost, calls("echo", "y"), busy(), says("done"), says("more")]);
    let mut talk = Bed::new().upkeep(fast()).talk_in(&file, turns).await;
    assert_eq!(outcome(talk.say("go").await), (StopReason::Stop, None));
    // It has answered in between: the count begins anew.
    assert_eq!(retries(&talk), ["1 of 3 after 1: busy", "2 of 3 after 2: no line", "1 of 3 after 1: busy"]);
    assert_eq!(*talk.bed.echoed.lock().unwrap(), ["x", "y"]);
    // What failed is stored, and the model is not shown it.
    let shown =
        ["user: go", r#"assistant: [echo {"text":"x"}]"#, "tool: x", r#"assistant: [echo {"text":"y"}]"#, "tool: y"];
    assert_eq!(talk.last_request().messages, shown);
    let run = [
        "user",
        "assistant",
        "toolResult",
        "assistant",
        "assistant",
        "assistant",
        "toolResult",
        "assistant",
        "assistant",
    ];
    assert_eq!(entries(&file)[1..], run);
    let settled = talk.events.lock().unwrap().iter().filter(|event| event.seam() == Some("settled")).count();
    assert_eq!(settled, 1);
    talk.close().await;
    // Nor in another process.
    let mut talk = Bed::new().talk_in(&file, json!([says("more")])).await;
    talk.say("on").await;
    assert_eq!(talk.last_request().messages[..5], shown);
    assert_eq!(talk.last_request().messages[5..], ["assistant: done", "user: on"]);
}

#[tokio::test]
async fn it_is_given_up_after_so_many_times() {
    let mut talk = Bed::new().upkeep(fast()).talk(json!([busy(), busy(), busy(), busy(), says("no")])).await;
    assert_eq!(outcome(talk.say("go").await), (StopReason::Error, Some("busy".to_owned())));
    assert_eq!(retries(&talk), ["1 of 3 after 1: busy", "2 of 3 after 2: busy", "3 of 3 after 4: busy"]);
    assert_eq!(talk.asked(), 4);
    assert_eq!(outcome(talk.say("again").await), (StopReason::Stop, None));
    let mut never = Bed::new().upkeep(upkeep(0, Duration::ZERO)).talk(json!([busy(), says("no")])).await;
    assert_eq!(outcome(never.say("go").await), (StopReason::Error, Some("busy".to_owned())));
}

#[tokio::test]
async fn what_would_fail_again_is_not_asked_again() {
    for turn in [json!({ "error": "no such model" }), json!({ "throws": "no key" })] {
        let mut talk = Bed::new().upkeep(fast()).talk(json!([turn, says("no")])).await;
        assert_eq!(outcome(talk.say("go").await).0, StopReason::Error);
        assert_eq!((talk.asked(), retries(&talk).len()), (1, 0));
    }
    // A plugin's failure is none of the provider's.
    let traps = json!({ "transform-context": { "do": "trap" }, "observe": "quiet" });
    let mut talk = Bed::new().everything("p", traps).upkeep(fast()).talk(json!([says("no")])).await;
    assert_eq!(outcome(talk.say("go").await).0, StopReason::Error);
    assert_eq!((talk.asked(), retries(&talk).len()), (0, 0));
}

#[tokio::test]
async fn a_provider_says_how_long_to_wait() {
    let after = |ms: u32| json!({ "error": { "message": "busy", "kind": "transient", "retryAfter": ms } });
    let mut talk = Bed::new().upkeep(fast()).talk(json!([after(40), after(61_000), says("no")])).await;
    assert_eq!(
        outcome(talk.say("go").await),
        (StopReason::Error, Some("busy. The provider asks to wait 61 s: try again then".to_owned()))
    );
    assert_eq!(retries(&talk), ["1 of 3 after 40: busy"]);
}

#[tokio::test]
async fn an_abort_ends_the_wait_at_once_and_what_waits_is_steered_in_after_it() {
    let (_folder, file) = place();
    let turns = json!([busy(), says("done")]);
    let mut talk = Bed::new().upkeep(upkeep(3, Duration::from_secs(50))).talk_in(&file, turns).await;
    let (handle, abort, stop) = (talk.harness.handle(), CancellationToken::new(), CancellationToken::new());
    let other = (handle.clone(), stop.clone(), abort.clone());
    let watch = tokio::spawn(async move {
        let (handle, _stop, abort) = other;
        while handle.phase() != Phase::Retry {
            wait(1).await;
        }
        handle.steer(Message::user("hurry")).unwrap();
        abort.cancel();
    });
    assert_eq!(outcome(talk.say_until("go", &abort).await).0, StopReason::Aborted);
    watch.await.unwrap();
    assert_eq!((talk.asked(), handle.phase()), (1, Phase::Idle));
    let events = talk.events.lock().unwrap().clone();
    let aborted =
        events.iter().any(|event| matches!(event, Event::Session(SessionEvent::Abort { cleared_steering: 1, .. })));
    assert!(aborted);
    assert_eq!(outcome(talk.say("again").await), (StopReason::Stop, None));
    assert_eq!(talk.last_request().messages, ["user: go", "user: again"]);
}

#[tokio::test]
async fn what_is_steered_while_it_waits_joins_the_next_attempt() {
    let mut talk = Bed::new().upkeep(upkeep(3, Duration::from_millis(200))).talk(json!([busy(), says("done")])).await;
    let handle = talk.harness.handle();
    tokio::spawn(async move {
        while handle.phase() != Phase::Retry {
            wait(1).await;
        }
        handle.steer(Message::user("hurry")).unwrap();
    });
    assert_eq!(outcome(talk.say("go").await), (StopReason::Stop, None));
    assert_eq!(talk.last_request().messages, ["user: go", "user: hurry"]);
    let starts = talk
        .events
        .lock()
        .unwrap()
        .iter()
        .filter(|event| matches!(event, Event::Agent(AgentEvent::AgentStart)))
        .count();
    assert_eq!(starts, 2);
}
