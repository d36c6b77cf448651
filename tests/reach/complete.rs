//! `complete`: the session's model, for a plugin, within a budget.

use std::time::Duration;

use seam_harness::{RetrySettings, Upkeep};
use seam_loop::{CancellationToken, Origin};
use seam_plugins::Mode;
use seam_tests::bed::{Bed, wait};
use seam_tests::recording::Recording;
use seam_tests::talk::{Asked, says};
use serde_json::{Value, json};

use super::asks::{asks, call, lines, tool};

/// A bed with the plugin, whose tool `own` does these steps with a budget.
fn completes(name: &str, budget: u32, steps: Value) -> Bed {
    asks(Bed::new(), name, tool("own", steps)).set(name, |settings| settings.grants.complete = Some(budget))
}

fn ask(prompt: &str, most: u32) -> Value {
    json!({ "ask": prompt, "system": "be short", "most": most })
}

fn left() -> Value {
    json!({ "left": true })
}

/// An answer for which the provider counted so many tokens.
fn counted(text: &str, input: u32, output: u32) -> Value {
    json!({ "content": [{ "text": text }], "usage": { "input": input, "output": output } })
}

#[tokio::test]
async fn the_model_is_asked_alone_and_nothing_of_it_is_in_the_conversation() {
    let bed = completes("asks", 1000, json!([ask("why GIVEN?", 50), left()]));
    let key = json!({ "get-api-key": { "do": "key", "text": "k-1" }, "observe": "quiet" });
    let mut talk = bed.everything("key", key).talk(json!([says("hello"), counted("because", 20, 5)])).await;
    talk.say("hi").await;
    let before = talk.transcript();
    assert_eq!(call(&mut talk, "own", "me").await, "ask: 25 because\nleft: 975");
    let asked = Asked {
        model: "scripted/m Off".to_owned(),
        system_prompt: "be short".to_owned(),
        api_key: Some("k-1".to_owned()),
        messages: vec!["user: why me?".to_owned()],
        tools: Vec::new(),
    };
    assert_eq!(talk.last_request(), asked);
    assert_eq!(talk.transcript(), before);
}

#[tokio::test]
async fn a_plugin_in_the_shadow_asks_nobody() {
    let gate = json!({ "gate": { "only": "read", "steps": [ask("x", 50), left()] } });
    let bed = asks(Bed::new(), "co-shadow", gate).set("co-shadow", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.file("f", "").talk(json!([says("never")])).await;
    talk.harness.call(Origin::User, "read", json!({ "path": "f" }), &CancellationToken::new()).await;
    let why = "this plugin is in the shadow: it changes nothing, and so it calls nothing";
    assert_eq!(lines("co-shadow"), [format!("ask: failed {why}"), "left: 10000".to_owned()]);
    assert_eq!(talk.asked(), 0);
}

/// It waits for one answer after the other, each within its time. All of them together have a bound too.
#[tokio::test]
async fn all_waiting_of_a_call_together_is_bounded() {
    let slow = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let bed = completes("asks", 1000, json!([ask("x", 50), ask("x", 50), ask("x", 50)]));
    let bed = bed.set("asks", |settings| {
        (settings.limits.nested_ms, settings.limits.user_ms, settings.limits.network_ms) = (200, 100, 0);
    });
    let mut talk = bed.talk(json!([slow, slow, slow])).await;
    let told = call(&mut talk, "own", "").await;
    let late: Vec<&str> =
        told.lines().map(|line| line.trim_start_matches("ask: failed it was given up after ")).collect();
    assert_eq!((late[0], late[2], late.len()), ("200 ms", "0 ms", 3), "{told}");
    assert_eq!(talk.asked(), 2);
}

#[tokio::test]
async fn what_does_not_fit_into_the_budget_is_not_asked() {
    // 8 characters of the system prompt and 12 of the prompt are 5 tokens.
    let steps = json!([ask("twelve chars", 96), left(), ask("twelve chars", 95), left(), ask("twelve chars", 0)]);
    let mut talk = completes("asks", 100, steps).talk(json!([counted("yes", 60, 40)])).await;
    let told = call(&mut talk, "own", "").await;
    assert_eq!(told, "ask: no-budget\nleft: 100\nask: 100 yes\nleft: 0\nask: no-budget");
    assert_eq!(talk.asked(), 1);
}

#[tokio::test]
async fn a_provider_that_does_not_count_is_estimated() {
    let steps = json!([ask("twelve chars", 50), left()]);
    let mut talk = completes("asks", 100, steps).talk(json!([says("eight ch")])).await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: 7 eight ch\nleft: 93");
}

#[tokio::test]
async fn the_budget_is_the_plugins_and_the_sessions() {
    let steps = json!([ask("x", 50), left()]);
    let bed = completes("one", 100, steps.clone());
    let bed = asks(bed, "two", json!({ "tools": [{ "name": "other", "steps": [left()] }] }));
    let turns = json!([counted("a", 30, 30), says("said")]);
    let mut talk = bed.set("two", |settings| settings.grants.complete = Some(70)).talk(turns).await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: 60 a\nleft: 40");
    assert_eq!(call(&mut talk, "other", "").await, "left: 70");
    // What the user asks is nobody's budget, and what is left stays so from run to run.
    talk.say("hi").await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: no-budget\nleft: 40");
}

#[tokio::test]
async fn questions_at_once_cannot_take_more_than_there_is() {
    let slow =
        |text: &str| json!({ "content": [{ "text": text }], "delay": 300, "usage": { "input": 1, "output": 40 } });
    let calls: Vec<Value> = (0..8)
        .map(|n| json!({ "toolCall": { "id": format!("c{n}"), "name": "own", "args": { "text": "x" } } }))
        .collect();
    let turns = json!([{ "content": calls }, slow("a"), slow("b"), { "content": [{ "text": "done" }] }]);
    // Two fit beside each other; a third would only once they have told what they took.
    let mut talk = completes("asks", 100, json!([ask("x", 40)])).talk(turns).await;
    talk.say("go").await;
    let told = talk.transcript()[2..10].to_vec();
    assert_eq!(told.iter().filter(|line| line.starts_with("tool: ask: 41 ")).count(), 2, "{told:?}");
    assert_eq!(told.iter().filter(|line| *line == "tool: ask: no-budget").count(), 6, "{told:?}");
}

#[tokio::test]
async fn an_answer_that_became_too_long_says_so_and_one_that_failed_too() {
    let steps = json!([ask("x", 5), ask("x", 5), ask("x", 5), left()]);
    let cut = json!({ "content": [{ "text": "begi" }], "stopReason": "length", "usage": { "input": 3, "output": 5 } });
    let failed = json!({ "throws": "no credit" });
    let mut talk = completes("asks", 100, steps).talk(json!([cut, failed])).await;
    let told = call(&mut talk, "own", "").await;
    // What failed was asked: it takes what the question is guessed at.
    assert_eq!(told, "ask: 8 begi (cut)\nask: failed no credit\nask: failed script exhausted\nleft: 86");
}

#[tokio::test]
async fn a_failure_that_may_pass_is_asked_again() {
    let retry = RetrySettings { max: 2, base: Duration::from_millis(1) };
    let failed = json!({ "throws": { "message": "overloaded", "kind": "transient" } });
    let bed = completes("asks", 100, json!([ask("x", 5), left()])).upkeep(Upkeep { retry, ..Upkeep::default() });
    let mut talk = bed.talk(json!([failed, counted("ok", 1, 1)])).await;
    // The question that failed is guessed at 3 tokens.
    assert_eq!(call(&mut talk, "own", "").await, "ask: 5 ok\nleft: 95");
}

#[tokio::test]
async fn a_plugin_that_refuses_the_key_refuses_the_question_and_it_costs_nothing() {
    let bed = completes("asks", 100, json!([ask("x", 5), left()]));
    let refuses = json!({ "get-api-key": { "do": "trap" }, "observe": "quiet" });
    let bed = bed.everything("key", refuses).set("key", |settings| {
        settings.on_failure = seam_plugins::OnFailureRules::Everywhere(seam_plugins::Word::Refuse);
    });
    let mut talk = bed.talk(json!([says("never")])).await;
    let told = call(&mut talk, "own", "").await;
    assert!(told.starts_with("ask: failed plugin `key`") && told.ends_with("\nleft: 100"), "{told}");
    assert_eq!(talk.asked(), 0);
}

/// It is asked for the key of its own question.
#[tokio::test]
async fn a_plugin_that_asks_when_it_is_asked_for_the_key_ends_at_the_depth_of_all_calls() {
    let mut config = tool("own", json!([ask("x", 5)]));
    config["key"] = json!({ "steps": [ask("y", 5)] });
    let bed = asks(Bed::new(), "co-deep", config);
    let turns = Vec::from_iter((0..5).map(|n| counted(&format!("a{n}"), 1, 1)));
    let mut talk = bed.talk(turns.into()).await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: 2 a3");
    let lines = lines("co-deep");
    assert_eq!(lines[0], "ask: failed the model was not asked: calls of plugins are nested more than 4 deep");
    assert_eq!(lines[1..], ["ask: 2 a0", "ask: 2 a1", "ask: 2 a2", "ask: 2 a3"]);
}

#[tokio::test]
async fn a_question_ends_with_the_call_and_with_its_time_and_all_it_could_cost_is_gone() {
    let slow = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let steps = json!([ask("x", 50), left()]);
    let bed = completes("asks", 100, steps.clone()).set("asks", |settings| settings.limits.nested_ms = 200);
    let mut talk = bed.talk(json!([slow.clone()])).await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: failed it was given up after 200 ms\nleft: 47");
    // An abort of the user.
    let tools = json!([{ "name": "own", "steps": steps }, { "name": "other", "steps": [left()] }]);
    let bed = completes("asks", 100, json!([])).set("asks", |settings| {
        settings.config.insert("tools".to_owned(), tools);
    });
    let mut talk = bed.talk(json!([slow])).await;
    let abort = CancellationToken::new();
    let requests = std::sync::Arc::clone(&talk.requests);
    let aborting = async {
        while requests.lock().unwrap().is_empty() {
            wait(5).await;
        }
        abort.cancel();
    };
    let made = talk.harness.call(seam_loop::Origin::User, "own", json!({ "text": "" }), &abort);
    let (settled, ()) = tokio::join!(made, aborting);
    assert_eq!(seam_tests::bed::text(&settled), "Operation aborted");
    assert_eq!((call(&mut talk, "other", "").await, talk.asked()), ("left: 47".to_owned(), 1));
}

#[tokio::test]
async fn the_answer_is_journalled_and_can_be_replayed() {
    let recording = Recording::new();
    let bed = completes("asks", 100, json!([ask("x", 50), left()])).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let mut talk = bed.talk(json!([counted("because", 3, 4)])).await;
    assert_eq!(call(&mut talk, "own", "").await, "ask: 7 because\nleft: 93");
    let crossings = recording.crossings();
    let host = &crossings.iter().find(|crossing| crossing.seam == "tools" && crossing.call.is_some()).unwrap().host;
    let heard: Vec<(String, Value)> =
        host.iter().map(|call| (call.import.to_string(), call.answer.value().unwrap())).collect();
    let answer = json!({ "ok": { "text": "because", "cut-off": false, "tokens": 7 } });
    assert_eq!(heard, [("complete.ask".to_owned(), answer), ("complete.left".to_owned(), json!(93))]);
    talk.close().await;
    recording.assert_same(&plugins).await;
}
