//! Steering, follow-ups and messages for the next prompt.

use std::sync::Arc;

use seam_harness::{Heard, NoRun, Phase};
use seam_loop::{CancellationToken, Message, StopReason};
use seam_plugins::{OnFailureRules, Word};
use seam_tests::bed::Bed;
use seam_tests::talk::{Talk, entries, says};
use serde_json::json;

use super::{bash, place, until_seam};

/// Says `hi`, and does this while the first call runs.
async fn during_a_call(talk: &mut Talk, does: impl FnOnce()) -> Heard {
    let events = Arc::clone(&talk.events);
    let doing = async {
        until_seam(&events, "tool-execution-start", 1).await;
        does();
    };
    tokio::join!(talk.say("hi"), doing).0
}

#[tokio::test]
async fn without_a_run_there_is_nothing_to_join() {
    let talk = Bed::new().talk(json!([])).await;
    let handle = talk.harness.handle();
    assert_eq!(handle.phase(), Phase::Idle);
    assert_eq!(handle.steer(Message::user("s")), Err(NoRun::Steer));
    assert_eq!(handle.follow_up(Message::user("f")), Err(NoRun::FollowUp));
    assert!(NoRun::Steer.to_string().starts_with("Cannot steer while idle"));
    assert!(NoRun::FollowUp.to_string().starts_with("Cannot follow up while idle"));
}

#[tokio::test]
async fn steering_joins_one_at_a_time_and_follow_ups_one_for_each_stop() {
    let (_folder, file) = place();
    let turns = json!([bash("c1", "sleep 0.2"), says("1"), says("2"), says("3"), says("4")]);
    let mut talk = Bed::new().talk_in(&file, turns).await;
    let handle = talk.harness.handle();
    let queued = || {
        assert_eq!(handle.phase(), Phase::Turn);
        handle.follow_up(Message::user("f1")).unwrap();
        handle.follow_up(Message::user("f2")).unwrap();
        handle.steer(Message::user("s1")).unwrap();
        handle.steer(Message::user("s2")).unwrap();
        handle.next_turn(Message::user("n"));
    };
    during_a_call(&mut talk, queued).await;
    let expected = ["s1", "1", "s2", "2", "f1", "3", "f2", "4"];
    let said: Vec<String> =
        talk.transcript()[3..].iter().map(|told| told.split_once(": ").unwrap().1.to_owned()).collect();
    assert_eq!(said, expected);
    assert_eq!(talk.harness.handle().phase(), Phase::Idle);
    assert_eq!(entries(&file).len(), 1 + talk.transcript().len());
}

/// What nobody polled any more waits for the next run, and joins its first request.
#[tokio::test]
async fn what_came_too_late_joins_the_next_run() {
    let finish = json!({ "finish-turn": { "do": "end" }, "observe": "quiet" });
    let mut talk = Bed::new().everything("p", finish).talk(json!([bash("c1", "sleep 0.2"), says("1")])).await;
    let handle = talk.harness.handle();
    during_a_call(&mut talk, || handle.steer(Message::user("late")).unwrap()).await;
    assert_eq!(talk.transcript().len(), 3);
    talk.say("on").await;
    assert_eq!(talk.transcript()[3..], ["user: on", "user: late", "assistant: 1"]);
}

#[tokio::test]
async fn a_run_that_failed_leaves_what_is_queued_for_the_next() {
    let fails = json!({ "content": [], "error": "no more money", "delay": 100 });
    let mut talk = Bed::new().talk(json!([fails, says("1"), says("2")])).await;
    let (handle, events) = (talk.harness.handle(), Arc::clone(&talk.events));
    let queues = async {
        until_seam(&events, "turn-start", 1).await;
        handle.follow_up(Message::user("f")).unwrap();
        handle.steer(Message::user("s")).unwrap();
    };
    let (Heard::Ran(outcome), ()) = tokio::join!(talk.say("hi"), queues) else { panic!("it ran") };
    assert_eq!(outcome.stop_reason, StopReason::Error);
    talk.say("on").await;
    assert_eq!(talk.transcript()[2..], ["user: on", "user: s", "assistant: 1", "user: f", "assistant: 2"]);
}

#[tokio::test]
async fn an_abort_drops_what_was_for_the_run_and_keeps_what_is_for_the_next_prompt() {
    let mut talk = Bed::new().talk(json!([bash("c1", "sleep 60"), says("1")])).await;
    let (handle, events, abort) = (talk.harness.handle(), Arc::clone(&talk.events), CancellationToken::new());
    let aborts = async {
        until_seam(&events, "tool-execution-start", 1).await;
        handle.steer(Message::user("s")).unwrap();
        handle.follow_up(Message::user("f")).unwrap();
        handle.next_turn(Message::user("n"));
        abort.cancel();
    };
    let (Heard::Ran(outcome), ()) = tokio::join!(talk.say_until("hi", &abort), aborts) else { panic!("it ran") };
    assert_eq!(outcome.stop_reason, StopReason::Aborted);
    talk.say("on").await;
    assert_eq!(talk.transcript()[3..], ["user: on", "user: n", "assistant: 1"]);
}

#[tokio::test]
async fn what_is_for_the_next_prompt_outlives_a_prompt_that_did_not_start_a_run() {
    let fails = json!({ "before-agent-start": { "do": "trap" }, "observe": "quiet" });
    let bed = Bed::new().everything("p", fails).set("p", |settings| {
        settings.on_failure = OnFailureRules::Everywhere(Word::Refuse);
    });
    let mut talk = bed.talk(json!([])).await;
    let handle = talk.harness.handle();
    handle.next_turn(Message::user("n1"));
    handle.next_turn(Message::user("n2"));
    assert!(matches!(talk.say("hi").await, Heard::Failed(_)));
    let aborted = CancellationToken::new();
    aborted.cancel();
    assert!(matches!(talk.say_until("hi", &aborted).await, Heard::Ran(_)));
    assert_eq!((talk.asked(), handle.phase()), (0, Phase::Idle));
    let told = talk.close().await;
    let updates: Vec<_> = told.iter().filter(|event| event.seam() == Some("queue-update")).collect();
    assert_eq!(updates.len(), 2, "{updates:?}");
}
