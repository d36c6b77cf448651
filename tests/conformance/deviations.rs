//! Where we decide otherwise than the reference. Each scenario is one of its recordings that we do not reproduce,
//! because the behaviour is an accident of its language, or unsafe. Either the case cannot be written for our loop, or
//! our own rules hold in it.

use std::collections::BTreeMap;

use seam_tests::conform::record;
use serde_json::Value;

use super::{folder, names, read};

/// Cases that our types or our loop do not allow, and what the runner says to them.
const CANNOT_BE_WRITTEN: &[(&str, &str)] = &[
    // A hook gets values, not objects: arguments change through the declared rewrite and are validated again.
    ("after-sees-mutated-args", "hooks get values"),
    ("before-mutates-args-invalid", "hooks get values"),
    ("finish-mutates-results", "hooks get values"),
    ("seed-before-mutates-args", "hooks get values"),
    // Answers are typed.
    ("finish-unknown-action", "answers are typed"),
    // There is one dispatcher, and a tool has no other way to another tool.
    ("nested-direct-bypass", "every call goes through the one dispatcher"),
    ("nested-without-hooks", "every call goes through the one dispatcher"),
    // An observer cannot hold a run up.
    ("listener-barrier", "a delay of an observer"),
    // The prompt and the tools are the host's, and a run's transcript only grows.
    ("prepare-request-replaces-tools", "they are the host's"),
    ("system-message-prompt", "the prompt and the tools are the host's"),
    ("state-messages-mid-run", "cannot be replaced"),
    // A schema that refers out of its document is refused when the tool is registered.
    ("args-refs", "not a usable JSON Schema"),
];

/// Transcripts that begin with a call nobody answered: what a crash leaves behind. Healing them belongs to loading.
const BEGIN_UNANSWERED: &[&str] = &["continue-dangling-call", "prompt-after-dangling-call"];

#[test]
fn what_cannot_be_written_is_refused() {
    for (name, reason) in CANNOT_BE_WRITTEN {
        let problem = record(&scenario(name)).expect_err(name);
        assert!(problem.contains(reason), "{name}: {problem}");
    }
}

#[test]
fn our_rules_hold_in_everything_else() {
    let mut faults = Vec::new();
    for file in names(&folder("deviations")) {
        let name = file.trim_end_matches(".json");
        if CANNOT_BE_WRITTEN.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let scenario = scenario(name);
        let recording = record(&scenario).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let trace = recording["trace"].as_array().unwrap();
        let whole = scenario.get("events").is_none();
        let found = [
            whole.then(|| unbalanced(trace)).flatten(),
            asked_after_abort(trace),
            (!BEGIN_UNANSWERED.contains(&name)).then(|| unanswered(&recording["transcript"])).flatten(),
            ran_after_block(trace),
        ];
        faults.extend(found.into_iter().flatten().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Arguments are repaired only where nothing is lost: what a tool got is what the model sent, or one of the three
/// repairs of it.
#[test]
fn no_argument_reaches_a_tool_with_another_meaning() {
    for file in names(&folder("deviations")).iter().filter(|file| file.starts_with("args-")) {
        let name = file.trim_end_matches(".json");
        let Ok(recording) = record(&scenario(name)) else { continue };
        let mut sent = BTreeMap::new();
        for entry in recording["trace"].as_array().unwrap() {
            let id = entry["toolCallId"].as_str().unwrap_or_default();
            if entry["event"] == "tool_execution_start" {
                sent.insert(id, &entry["args"]);
            }
            if entry["tool"] == "start" {
                assert!(is_repair(sent[id], &entry["args"]), "{name} {id}: {} became {}", sent[id], entry["args"]);
            }
        }
    }
}

fn scenario(name: &str) -> Value {
    read(&folder("deviations").join(format!("{name}.json")))
}

/// The first kind of event with more starts than ends, or the reverse.
fn unbalanced(trace: &[Value]) -> Option<String> {
    let count = |event: &str| trace.iter().filter(|entry| entry["event"] == event).count();
    let pairs = ["agent", "turn", "message", "tool_execution"];
    let odd = pairs.iter().find(|kind| count(&format!("{kind}_start")) != count(&format!("{kind}_end")))?;
    Some(format!("{odd} events do not pair"))
}

/// A gate or a provider that was asked after an abort, in the same run.
fn asked_after_abort(trace: &[Value]) -> Option<String> {
    let mut aborted = false;
    for entry in trace {
        if entry["do"] == "abort" {
            aborted = true;
        } else if entry["event"] == "agent_start" {
            aborted = false;
        }
        if aborted && (entry["hook"] == "beforeToolCall" || entry["provider"] == "request") {
            return Some(format!("asked after an abort: {entry}"));
        }
    }
    None
}

/// A call of a response that came whole and has not exactly one result right after it.
fn unanswered(transcript: &Value) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for message in transcript.as_array().unwrap() {
        if message["role"] == "toolResult" {
            if open.is_empty() || open.remove(0) != message["toolCallId"] {
                return Some(format!("a result out of place: {message}"));
            }
            continue;
        }
        if !open.is_empty() {
            break;
        }
        let failed = matches!(message["stopReason"].as_str(), Some("error" | "aborted"));
        let calls = message["content"].as_array().into_iter().flatten();
        open = calls.filter(|_| !failed).filter_map(|block| block["toolCall"]["id"].as_str()).collect();
    }
    (!open.is_empty()).then(|| format!("{open:?} have no result"))
}

/// A body that ran though the hook before it had blocked its call.
fn ran_after_block(trace: &[Value]) -> Option<String> {
    let blocked = |entry: &&Value| entry["hook"] == "beforeToolCall" && entry["decision"]["block"] == true;
    let ids: Vec<&Value> = trace.iter().filter(blocked).map(|entry| &entry["toolCallId"]).collect();
    let ran = trace.iter().find(|entry| entry["tool"] == "start" && ids.contains(&&entry["toolCallId"]))?;
    Some(format!("ran though it was blocked: {ran}"))
}

/// Whether what a tool got is what was sent, or a lossless repair of it.
fn is_repair(sent: &Value, got: &Value) -> bool {
    match (sent, got) {
        (Value::Object(sent), Value::Object(got)) => {
            let kept = got.iter().all(|(key, value)| sent.get(key).is_some_and(|sent| is_repair(sent, value)));
            kept && sent.iter().all(|(key, value)| got.contains_key(key) || value.is_null())
        }
        (Value::Array(sent), Value::Array(got)) => {
            sent.len() == got.len() && sent.iter().zip(got).all(|(sent, got)| is_repair(sent, got))
        }
        (Value::String(text), got) if !got.is_string() => {
            serde_json::from_str::<Value>(text).is_ok_and(|read| read == *got)
        }
        (Value::Number(sent), Value::Number(got)) => sent.as_f64() == got.as_f64(),
        (sent, got) => sent == got,
    }
}
