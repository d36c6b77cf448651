//! `messages`: what a plugin says in the conversation, in each of the four ways, and that it ends.

use seam_harness::{Event, Heard, SessionEvent};
use seam_plugins::{Grants, Mode};
use seam_tests::bed::{Bed, wait};
use seam_tests::notes;
use seam_tests::recording::Recording;
use seam_tests::talk::{Talk, calls, entries, says};
use serde_json::{Value, json};

use super::steps::{ask, at, does, grants, place, problem, results, step, told};

#[tokio::test]
async fn without_the_grant_it_is_not_loaded_and_the_line_to_add_is_named() {
    assert_eq!(
        problem(Grants { messages: false, ..grants() }).await,
        "it imports `seam:harness/messages@0.1.0`, which is not granted to it; to grant that, add to `seam.toml`:\n    \
         [plugins.\"my plugin\".grants]\n    messages = true"
    );
}

#[tokio::test]
async fn each_way_brings_a_message_to_its_place() {
    let steps = json!([
        ["follow-up", "f", "follow"],
        ["next-turn", "n", "next"],
        ["steer", "s", "steer"],
        ["store", "t", "stored"]
    ]);
    let mut talk = told().talk(json!([step(steps), says("a"), says("b"), says("c")])).await;
    talk.say("hi").await;
    assert_eq!(results(&talk), ["ok | ok | ok | ok"]);
    // What is stored waits for the end of the turn, what steers for the next request.
    let first = ["tool: ok | ok | ok | ok", "p/t: stored", "p/s: steer", "assistant: a", "p/f: follow", "assistant: b"];
    assert_eq!(talk.transcript()[2..], first);
    talk.say("on").await;
    assert_eq!(talk.transcript()[8..], ["user: on", "p/n: next", "assistant: c"]);
}

#[tokio::test]
async fn without_a_run_only_what_needs_none_is_taken() {
    let (_folder, file) = place();
    let mut talk = told().talk_in(&file, json!([says("a")])).await;
    let steps =
        json!([["follow-up", "f", "x"], ["steer", "s", "x"], ["next-turn", "n", "next"], ["store", "t", "stored"]]);
    assert_eq!(ask(&mut talk, steps).await, "no-run | no-run | ok | ok");
    assert_eq!(talk.transcript(), Vec::<String>::new());
    assert_eq!(entries(&file), ["custom_message"]);
    talk.say("hi").await;
    assert_eq!(talk.transcript(), ["p/t: stored", "user: hi", "p/n: next", "assistant: a"]);
}

#[tokio::test]
async fn messages_are_bounded_in_size_and_shape() {
    let mut talk = told().talk(json!([])).await;
    let steps = json!([
        ["send-big", "262109"],
        ["send-big", "262110"],
        ["send-picture", "image/png"],
        ["send-picture", "png"],
        ["send-details", "{\"a\": 1}"],
        ["send-details", "{"],
        ["store", "a b", "x"],
        ["store", "", "x"]
    ]);
    let expected = "ok | too-large | ok | not-usable | ok | not-usable | not-usable | not-usable";
    assert_eq!(ask(&mut talk, steps).await, expected);
}

/// Of all ways together, and again after the next word of the user's.
#[tokio::test]
async fn a_plugin_sends_100_messages_in_a_run() {
    let mut talk = told().talk(json!([])).await;
    for _run in 0..2 {
        let steps = json!([
            ["times", "99", "store", "a", "x"],
            ["next-turn", "a", "x"],
            ["next-turn", "a", "x"],
            ["store", "a", "x"]
        ]);
        assert_eq!(ask(&mut talk, steps).await, "ok after 0 | ok | too-many | too-many");
    }
}

/// Runs a model that never calls a tool, and counts how often it is asked.
async fn endless(settings: Value) -> Talk {
    let bed = does(Bed::new(), "p", settings).set("p", |settings| settings.limits.time_ms = 2000);
    let mut talk = bed.talk(json!(vec![says("on"); 130])).await;
    assert!(matches!(talk.say("hi").await, Heard::Ran(outcome) if outcome.error.is_none()));
    talk
}

fn notices(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let notices = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::Notice { text }) => Some(text.clone()),
        _ => None,
    });
    notices.collect()
}

/// Whether it says one thing more at each turn, or has all of it waiting from the first.
#[tokio::test]
async fn no_plugin_keeps_a_run_going_for_ever_with_its_messages() {
    for way in ["steer", "follow-up"] {
        let talk = endless(at("finish-turn", json!([[way, "more", "and now?"]]))).await;
        assert_eq!((talk.asked(), notices(&talk).len()), (26, 0), "{way}");
        let mut talk = endless(at("input", json!([["times", "1", "id"]]))).await;
        assert_eq!(talk.asked(), 1);
        let steps = json!([["times", "90", way, "more", "and now?"]]);
        let turns: Vec<Value> = [step(steps)].into_iter().chain(vec![says("on"); 60]).collect();
        talk = told().talk(json!(turns)).await;
        talk.say("hi").await;
        assert_eq!(talk.asked(), 27, "{way}");
        let notice = "the run was kept going for 25 turns in a row in which no tool was called: what `p` still had to say \
                      in it waits for your next prompt";
        assert_eq!(notices(&talk), [notice]);
        // Nothing of it is lost.
        talk.say("on").await;
        let said = talk.transcript().iter().filter(|said| *said == "p/more: and now?").count();
        assert_eq!(said, 90);
    }
}

/// What keeps a run going in two ways is no better.
#[tokio::test]
async fn messages_and_going_on_count_together() {
    let mut settings = at("finish-turn", json!([["follow-up", "more", "and now?"]]));
    settings["next"] = json!("continue");
    let talk = endless(settings).await;
    assert_eq!(talk.asked(), 26);
}

#[tokio::test]
async fn a_call_of_a_tool_begins_the_count_again() {
    let bed = does(Bed::new(), "p", at("finish-turn", json!([["follow-up", "more", "and now?"]])));
    let mut turns: Vec<Value> = vec![says("on"); 20];
    turns.push(calls("echo", "x"));
    turns.extend(vec![says("on"); 40]);
    let mut talk = bed.talk(json!(turns)).await;
    talk.say("hi").await;
    assert_eq!(talk.asked(), 20 + 1 + 26);
}

/// An observer sees what it has sent itself, and that ends too.
#[tokio::test]
async fn an_observer_that_answers_itself_ends() {
    for (seam, step) in
        [("message-end", json!(["store", "echo", "x"])), ("queue-update", json!(["next-turn", "echo", "x"]))]
    {
        let mut talk = does(Bed::new(), "p", at(seam, json!([step]))).talk(json!([says("yes")])).await;
        ask(&mut talk, json!([step])).await;
        for _ in 0..200 {
            wait(5).await;
        }
        talk.say("hi").await;
        let sent = talk.transcript().iter().filter(|said| *said == "p/echo: x").count();
        assert!((100..200).contains(&sent), "{seam}: {sent}");
    }
}

#[tokio::test]
async fn what_a_shadow_sends_goes_nowhere() {
    let steps = json!([["store", "a", "x"], ["steer", "a", "x"], ["next-turn", "a", "x"], ["send-big", "300000"]]);
    let bed = does(Bed::new(), "messages-shadow", at("tool-call", steps));
    let bed = bed.set("messages-shadow", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.talk(json!([calls("echo", "x"), says("a"), says("b")])).await;
    talk.say("hi").await;
    talk.say("on").await;
    assert_eq!(notes::take("messages-shadow"), ["tool-call: ok | ok | ok | too-large"]);
    assert_eq!(talk.transcript()[2..], ["tool: x", "assistant: a", "user: on", "assistant: b"]);
}

#[tokio::test]
async fn a_replay_says_what_was_said() {
    let recording = Recording::new();
    let steps = json!([["steer", "s", "x"], ["store", "t", "y"], ["follow-up", "f", "z"], ["send-picture", "png"]]);
    let bed = || does(Bed::new(), "p", at("tool-call", steps.clone()));
    let turns = json!([calls("echo", "x"), says("a"), says("b")]);
    let mut talk = bed().journal(recording.journal.clone()).talk(turns).await;
    talk.say("hi").await;
    assert_eq!(talk.asked(), 3);
    talk.close().await;
    assert!(recording.assert_same(&bed().load().await).await > 3);
}
