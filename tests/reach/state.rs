//! `state`: what a plugin remembers lasts as long as its session, follows its branches, and is bounded.

mod branches;
mod lost;
mod shown;

use seam_harness::{NewPlugins, Restore, Upkeep};
use seam_plugins::{InstancePolicy, Mode};
use seam_tests::bed::{Bed, text};
use seam_tests::notes;
use seam_tests::recording::Recording;
use seam_tests::talk::{calls, entries, says};
use serde_json::{Value, json};

use super::steps::{ask, at, custom, does, place, results, step, told};

/// An entry of a plugin's state.
fn entry(plugin: &str, set: Value, delete: Value) -> (String, Value) {
    ("seam:state".to_owned(), json!({ "plugin": plugin, "set": set, "delete": delete }))
}

#[tokio::test]
async fn a_call_reads_its_own_writes_and_what_calls_before_it_kept_on_whatever_instance() {
    for policy in [InstancePolicy::Session, InstancePolicy::Call] {
        let mut talk = told().set("p", |settings| settings.instance = policy).talk(json!([])).await;
        let first =
            json!([["get", "b"], ["set", "b", "1"], ["set", "ä", ""], ["set", "a", "2"], ["get", "b"], ["keys"]]);
        assert_eq!(ask(&mut talk, first).await, "none | ok | ok | ok | 1 | a,b,ä");
        let second = json!([["delete", "b"], ["delete", "b"], ["get", "b"], ["get", "ä"], ["keys"], ["set", "a", "3"]]);
        assert_eq!(ask(&mut talk, second).await, "ok | ok | none |  | a,ä | ok");
        assert_eq!(ask(&mut talk, json!([["get", "a"], ["keys"]])).await, "3 | a,ä");
    }
}

#[tokio::test]
async fn a_dispatcher_by_itself_keeps_it_too() {
    let session = told().start().await;
    for count in ["1", "2"] {
        let settled = session.call("do", json!({ "text": json!([["count", "n"]]).to_string() })).await;
        assert_eq!(text(&settled), count);
    }
}

/// One entry for each call that changed anything, before what rests on it. It is there when the session goes on.
#[tokio::test]
async fn it_is_in_the_file_and_the_session_goes_on_with_it() {
    let (_folder, file) = place();
    let turns = json!([step(json!([["set", "a", "1"], ["set", "b", "2"]])), says("done")]);
    let mut talk = told().talk_in(&file, turns).await;
    talk.say("hi").await;
    assert_eq!(ask(&mut talk, json!([["delete", "a"], ["set", "b", "2"], ["delete", "none"]])).await, "ok | ok | ok");
    assert_eq!(ask(&mut talk, json!([["get", "a"], ["set", "b", "2"]])).await, "none | ok");
    let transcript = talk.transcript();
    talk.close().await;
    let settings = ["model_change"];
    let run = ["user", "assistant", "custom", "toolResult", "assistant", "custom"];
    assert_eq!(entries(&file), [&settings[..], &run].concat());
    assert_eq!(
        custom(&file),
        [entry("p", json!({ "a": "1", "b": "2" }), json!([])), entry("p", json!({}), json!(["a"]))]
    );
    let mut talk = told().talk_in(&file, json!([])).await;
    assert_eq!(talk.transcript(), transcript);
    assert_eq!(ask(&mut talk, json!([["keys"], ["get", "b"]])).await, "b | 2");
}

/// Each sees what was there when it began, and both are kept.
#[tokio::test]
async fn calls_at_once_see_nothing_of_each_other_and_lose_nothing() {
    let call = |id: &str, steps: Value| json!({ "toolCall": { "id": id, "name": "do", "args": { "text": steps.to_string() } } });
    let first = call("c1", json!([["set", "both", "1"], ["busy", "300"], ["set", "a", "1"], ["get", "b"]]));
    let second = call("c2", json!([["get", "both"], ["set", "b", "2"], ["set", "both", "2"]]));
    let mut talk = told()
        .set("p", |settings| settings.limits.tool_time_ms = 60_000)
        .talk(json!([{ "content": [first, second] }, says("done")]))
        .await;
    talk.say("hi").await;
    assert_eq!(results(&talk), ["ok | done | ok | none", "none | ok | ok"]);
    assert_eq!(ask(&mut talk, json!([["keys"], ["get", "both"]])).await, "a,b,both | 1");
}

#[tokio::test]
async fn keys_texts_and_writes_are_bounded() {
    let small = |bed: Bed| bed.set("p", |settings| settings.limits.state_kib = 1);
    let mut talk = small(told()).talk(json!([])).await;
    let bounds = json!([
        ["set-big", "a", "1023"],
        ["set", "b", ""],
        ["set-big", "a", "1024"],
        ["set-big", "a", "1022"],
        ["set", "b", ""],
        ["set", "", "x"],
        ["delete", ""],
        ["set", "k".repeat(257), ""],
        ["delete", "k".repeat(257)],
        ["delete", "a"],
        ["set", "k".repeat(256), ""]
    ]);
    let expected = "ok | too-large | too-large | ok | ok | bad-key | bad-key | bad-key | bad-key | ok | ok";
    assert_eq!(ask(&mut talk, bounds).await, expected);
    assert_eq!(ask(&mut talk, json!([["keys"]])).await, format!("b,{}", "k".repeat(256)));
    // What is not kept counts for nothing; what is written counts even if it says nothing new.
    assert_eq!(ask(&mut talk, json!([["times", "1500", "set", "b", ""]])).await, "too-often after 1000");
    assert_eq!(ask(&mut talk, json!([["set", "b", "2"], ["get", "b"]])).await, "ok | 2");
    assert_eq!(ask(&mut talk, json!([["times", "1001", "delete", "b"]])).await, "too-often after 1000");
    // 64 KiB in all without a word of the user's, 16 MiB in a run.
    let mut talk = told().talk(json!([])).await;
    let big = json!([["set-big", "a", "65535"], ["set-big", "a", "65536"], ["times", "300", "set-big", "a", "65535"]]);
    assert_eq!(ask(&mut talk, big).await, "ok | too-large | too-often after 255");
}

#[tokio::test]
async fn no_plugin_sees_what_another_remembers() {
    let (_folder, file) = place();
    let counts = |seam| at(seam, json!([["count", "n"], ["keys"]]));
    let bed = does(does(Bed::new(), "state-one", counts("tool-call")), "state-two", counts("tool-result"));
    let bed = bed.set("state-two", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.talk_in(&file, json!([calls("echo", "x"), calls("echo", "y"), says("done")])).await;
    talk.say("hi").await;
    assert_eq!(notes::take("state-one"), ["tool-call: 1 | n", "tool-call: 2 | n"]);
    assert_eq!(notes::take("state-two"), ["tool-result: 1 | n", "tool-result: 2 | n"]);
    talk.close().await;
    // What a shadow remembers is not stored.
    let kept = ["1", "2"].map(|count| entry("state-one", json!({ "n": count }), json!([])));
    assert_eq!(custom(&file), kept);
}

/// It begins with what the plugin remembered when it was not in the shadow, and goes its own way.
#[tokio::test]
async fn a_shadow_remembers_for_itself_alone_and_as_long_as_it_lives() {
    let (_folder, file) = place();
    let counts = || does(Bed::new(), "state-shadow", at("input", json!([["count", "n"]])));
    let shadow = || counts().set("state-shadow", |settings| settings.mode = Mode::Shadow);
    for (bed, expected) in [(counts(), [1, 2]), (shadow(), [3, 4]), (shadow(), [3, 4]), (counts(), [3, 4])] {
        let mut talk = bed.talk_in(&file, json!([says("a"), says("b")])).await;
        talk.say("one").await;
        talk.say("two").await;
        talk.close().await;
        assert_eq!(notes::take("state-shadow"), expected.map(|count| format!("input: {count}")));
    }
}

/// The plugins are loaded again between two runs, and the one that comes remembers what the one before did.
#[tokio::test]
async fn other_plugins_in_the_place_of_those_there_are_go_on_with_it() {
    let (_folder, file) = place();
    let counts = || does(Bed::new(), "state-reload", at("list-tools", json!([["count", "loaded"]])));
    let mut talk = counts().talk_in(&file, json!([says("a"), says("b")])).await;
    talk.say("one").await;
    let (session, commands) = counts().join(talk.harness.conversation(), Vec::new()).await;
    let seam_tests::bed::Session { dispatcher, bed, .. } = session;
    let (restore, upkeep) = (Restore::default(), Upkeep::default());
    talk.harness.replace_plugins(NewPlugins { dispatcher, commands, restore, upkeep }).await.unwrap();
    assert_eq!(ask(&mut talk, json!([["get", "loaded"]])).await, "2");
    drop(bed);
    talk.close().await;
    assert_eq!(notes::take("state-reload"), ["list-tools: 1", "list-tools: 2"]);
    let kept = ["1", "2"].map(|count| entry("state-reload", json!({ "loaded": count }), json!([])));
    assert_eq!(custom(&file), kept);
}

/// Nothing is stored then: what was answered stands in the journal.
#[tokio::test]
async fn a_replay_says_what_was_said() {
    let recording = Recording::new();
    let steps =
        json!([["get", "a"], ["set", "a", "1"], ["get", "a"], ["count", "n"], ["keys"], ["delete", "a"], ["get", "a"]]);
    let bed = || does(Bed::new(), "state-again", at("tool-call", steps.clone()));
    let counts = step(json!([["times", "3", "count", "n"]]));
    let turns = json!([step(steps.clone()), calls("echo", "x"), counts, says("done")]);
    let mut talk = bed().journal(recording.journal.clone()).talk(turns).await;
    talk.say("hi").await;
    assert_eq!(results(&talk), ["none | ok | 1 | 1 | a,n | ok | none", "x", "5 after 2"]);
    talk.close().await;
    assert!(recording.assert_same(&bed().load().await).await > 5);
}
