//! Calls of bodies, and runs in bodies, nest up to a bound.

use seam_tests::bed::Bed;
use seam_tests::notes;
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
