//! `models`: what a plugin chooses counts from the next turn on, and is told and stored as a choice of the user's.

use seam_harness::{Event, SessionEvent};
use seam_plugins::{Grants, Mode};
use seam_tests::bed::{Bed, text, wait};
use seam_tests::notes;
use seam_tests::recording::Recording;
use seam_tests::talk::{Talk, calls, entries, says};
use serde_json::json;

use super::steps::{ask, at, does, grants, place, problem, results, step, told};

#[tokio::test]
async fn without_the_grant_it_is_not_loaded_and_the_line_to_add_is_named() {
    assert_eq!(
        problem(Grants { models: false, ..grants() }).await,
        "it imports `seam:harness/models@0.1.0`, which is not granted to it; to grant that, add to `seam.toml`:\n    \
         [plugins.\"my plugin\".grants]\n    models = true"
    );
}

/// What plugins told the user.
fn told_by_plugins(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let told = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::PluginNotice { plugin, text }) => Some(format!("{plugin} {text}")),
        _ => None,
    });
    told.collect()
}

#[tokio::test]
async fn what_is_chosen_counts_from_the_next_turn_on_and_is_stored() {
    let (_folder, file) = place();
    let steps = json!([
        ["current"],
        ["level"],
        ["select", "scripted", "big"],
        ["select-level", "high"],
        ["select-tools", "do", "read"],
        ["current"],
        ["level"]
    ]);
    let mut talk = told().talk_in(&file, json!([step(steps), says("done"), says("more")])).await;
    talk.say("hi").await;
    let answers = "scripted/m | ThinkingLevel::Off | ok | ok | ok | scripted/big | ThinkingLevel::High";
    assert_eq!(results(&talk), [answers]);
    let asked = talk.last_request();
    assert_eq!((&*asked.model, asked.tools), ("scripted/big High", vec!["read".to_owned(), "do".to_owned()]));
    assert_eq!(
        told_by_plugins(&talk),
        ["p chooses the model `big`", "p chooses the thinking level `high`", "p lets the model call only do, read"]
    );
    assert!(ask(&mut talk, json!([["tools"]])).await.starts_with("read,write-,edit-,bash-,grep-,find-,ls-"));
    talk.close().await;
    let stored = ["model_change", "thinking_level_change", "active_tools_change"];
    let run = ["model_change", "user", "assistant", "toolResult"];
    assert_eq!(entries(&file), [&run[..], &stored, &["assistant"]].concat());
    let mut talk = told().talk_in(&file, json!([says("again")])).await;
    talk.say("on").await;
    assert_eq!(talk.last_request().model, "scripted/big High");
}

#[tokio::test]
async fn what_cannot_be_chosen_says_why_and_changes_nothing() {
    let mut talk = told().talk(json!([says("done")])).await;
    for (step, why) in [
        (
            json!(["select", "other", "m"]),
            "`m` is a model of `other`, and this session has the models of `scripted` alone",
        ),
        (json!(["select", "scripted", ""]), "the provider or the id of the model is not a name"),
        (json!(["select", "", "m"]), "the provider or the id of the model is not a name"),
        (json!(["select-tools", "read", "fly", "swim"]), "Unknown tool(s): fly, swim"),
        (json!(["select-tools", "read", "read"]), "Duplicate active tool name(s): read"),
    ] {
        assert_eq!(ask(&mut talk, json!([step])).await, format!("no: {why}"));
    }
    let many = vec!["x"; 10_000];
    let step: Vec<&str> = std::iter::once("select-tools").chain(many).collect();
    let why = ask(&mut talk, json!([step])).await;
    assert_eq!(why, "no: these are 10000 names, and there are 9 tools");
    talk.say("hi").await;
    assert_eq!((&*talk.last_request().model, talk.last_request().tools.len()), ("scripted/m Off", 9));
    assert_eq!(told_by_plugins(&talk), Vec::<String>::new());
}

#[tokio::test]
async fn a_plugin_chooses_100_times_in_a_run() {
    let mut talk = told().talk(json!([])).await;
    for _run in 0..2 {
        let steps =
            json!([["times", "99", "select-level", "low"], ["select", "scripted", "x"], ["select-tools"], ["current"]]);
        let why = "no: this plugin has chosen 100 times in this run, and may not choose more often";
        assert_eq!(ask(&mut talk, steps).await, format!("ok after 0 | ok | {why} | scripted/x"));
    }
}

/// It sees the choice, and makes another.
#[tokio::test]
async fn an_observer_that_answers_itself_ends() {
    let steps = json!([["select", "scripted", "a"], ["select", "scripted", "b"]]);
    let mut talk = does(Bed::new(), "models-loop", at("model-select", steps)).talk(json!([says("yes")])).await;
    ask(&mut talk, json!([["select", "scripted", "c"]])).await;
    for _ in 0..200 {
        wait(5).await;
    }
    let notes = notes::take("models-loop");
    assert!(notes.last().unwrap().contains("may not choose more often"), "{notes:?}");
}

#[tokio::test]
async fn without_a_conversation_it_fails() {
    let session = told().start().await;
    let settled = session.call("do", json!({ "text": json!([["current"]]).to_string() })).await;
    assert_eq!(text(&settled), "Plugin `p` failed at `do`: it used `models` outside a session.");
}

#[tokio::test]
async fn what_a_shadow_chooses_is_not_chosen() {
    let steps = json!([
        ["select", "scripted", "big"],
        ["select-tools", "fly"],
        ["select-tools"],
        ["select-level", "high"],
        ["current"]
    ]);
    let bed = does(Bed::new(), "models-shadow", at("tool-call", steps));
    let bed = bed.set("models-shadow", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.talk(json!([calls("echo", "x"), says("done")])).await;
    talk.say("hi").await;
    assert_eq!(notes::take("models-shadow"), ["tool-call: ok | no: Unknown tool(s): fly | ok | ok | scripted/m"]);
    assert_eq!((&*talk.last_request().model, talk.last_request().tools.len()), ("scripted/m Off", 8));
}

#[tokio::test]
async fn a_replay_says_what_was_said() {
    let recording = Recording::new();
    let steps =
        json!([["current"], ["select", "scripted", "big"], ["current"], ["tools"], ["select-tools", "fly"], ["level"]]);
    let bed = || does(Bed::new(), "p", at("tool-call", steps.clone()));
    let turns = json!([calls("echo", "x"), calls("echo", "y"), says("a")]);
    let mut talk = bed().journal(recording.journal.clone()).talk(turns).await;
    talk.say("hi").await;
    talk.close().await;
    assert!(recording.assert_same(&bed().load().await).await > 3);
}
