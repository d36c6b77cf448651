//! Calls of bodies, and runs in bodies, nest up to a bound.

use seam_loop::{CancellationToken, Origin};
use seam_tests::bed::{Bed, text};
use seam_tests::{files, notes};
use serde_json::{Value, json};

use super::tools::tools;

/// The model's call, and sixteen within each other.
const CALLS: usize = 17;

/// A model that goes down without end, by this call.
async fn down(gate: &str, call: Value) {
    let turns = json!([{ "content": [{ "toolCall": call }] }, { "content": [{ "text": "done" }] }]);
    let (tools, inner) = tools(json!({ "down": turns }));
    let bed = Bed::new().everything(gate, json!({ "observe": "quiet", "tell": ["tool-call"] }));
    let mut talk = bed.talk_with(turns, tools).await;
    talk.say("go").await;
    assert_eq!(notes::take(gate).len(), CALLS);
    let inner = inner.lock().unwrap();
    assert_eq!(inner.len(), CALLS);
    // The innermost is over first, and nobody was asked about it.
    let (tool, first) = (&inner[0].tool, &inner[0]);
    assert_eq!(first.text, format!("Tool {tool} was not called: calls are nested too deeply"));
    assert!(first.decisions.is_empty());
    assert!(inner[1..].iter().all(|ended| !ended.decisions.is_empty()));
}

#[tokio::test]
async fn runs_within_runs_are_bounded() {
    down("counts-runs", json!({ "id": "a", "name": "agent", "args": { "plan": "down" } })).await;
}

#[tokio::test]
async fn calls_and_runs_within_each_other_are_bounded_together() {
    let args = json!({ "tool": "agent", "args": { "plan": "down" } });
    down("counts-both", json!({ "id": "r", "name": "relay", "args": args })).await;
}

/// A plugin's tool calls the body of another, which calls that tool.
#[tokio::test]
async fn a_plugin_and_a_body_that_call_each_other_are_bounded() {
    let (tools, inner) = tools(json!({}));
    let calls = json!([{ "call": "relay", "with": { "tool": "own", "args": {} } }]);
    let config = json!({ "tools": [{ "name": "own", "steps": calls }] });
    let bed = Bed::new().plugin("calls", &files::guest("reach-b"), config).set("calls", |settings| {
        let grants = &mut settings.grants;
        (grants.tools, grants.exec) = (vec!["relay".to_owned()], vec!["touch".to_owned()]);
        (grants.complete, grants.ui) = (Some(1), true);
    });
    let mut talk = bed.talk_with(json!([]), tools).await;
    let made = talk.harness.call(Origin::User, "own", json!({}), &CancellationToken::new()).await;
    let end = "call: not-run `relay` was not called: calls of plugins are nested more than 4 deep";
    assert_eq!(text(&made), format!("{}{end}", "call: ok ".repeat(4)));
    assert_eq!(inner.lock().unwrap().len(), 4);
}
