//! The rules for comparing a recording with the expected one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::json::same;

/// The first difference of each part of two recordings of a scenario; none when they agree.
///
/// With `error_texts` unset, the texts of failed results compare equal: another validator words its errors itself.
pub fn differences(scenario: &Value, expected: &Value, actual: &Value, error_texts: bool) -> Vec<String> {
    let blur = |document: &Value| if error_texts { document.clone() } else { blurred(document) };
    let (expected, actual) = (blur(expected), blur(actual));
    let mut found = Vec::new();
    if scenario["traceOrder"] == "per-call" {
        let (wanted, given) = (streams(&expected["trace"]), streams(&actual["trace"]));
        let names: std::collections::BTreeSet<&String> = wanted.keys().chain(given.keys()).collect();
        for name in names {
            let of = |streams: &BTreeMap<String, Vec<Value>>| streams.get(name).cloned().unwrap_or_default();
            found.extend(lists(&format!("trace, {name}"), &of(&wanted), &of(&given)));
        }
        found.extend(tool_runs(&sorted(&expected["toolRuns"]), &sorted(&actual["toolRuns"])));
    } else {
        found.extend(lists("trace", items(&expected["trace"]), items(&actual["trace"])));
        found.extend(tool_runs(&expected["toolRuns"], &actual["toolRuns"]));
    }
    for part in ["requests", "transcript"] {
        found.extend(lists(part, items(&expected[part]), items(&actual[part])));
    }
    found
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The first place where two lists differ.
fn lists(name: &str, expected: &[Value], actual: &[Value]) -> Option<String> {
    let place = (0..expected.len().max(actual.len())).find(|at| match (expected.get(*at), actual.get(*at)) {
        (Some(expected), Some(actual)) => !same(expected, actual),
        _ => true,
    })?;
    let show = |list: &[Value]| list.get(place).map_or_else(|| "nothing".to_owned(), Value::to_string);
    Some(format!("{name}[{place}]\n  expected {}\n  actual   {}", show(expected), show(actual)))
}

fn tool_runs(expected: &Value, actual: &Value) -> Option<String> {
    (!same(expected, actual)).then(|| format!("toolRuns\n  expected {expected}\n  actual   {actual}"))
}

/// Tool runs whose arguments are in an order of their own, as multisets compare.
fn sorted(runs: &Value) -> Value {
    let mut runs = runs.clone();
    for run in runs.as_object_mut().into_iter().flat_map(|runs| runs.values_mut()) {
        if let Some(args) = run["args"].as_array_mut() {
            args.sort_by_key(super::json::canonical);
        }
    }
    runs
}

/// The entries by the stream they belong to when only the order within each top-level tool call counts. The starts of
/// the calls are a stream of their own: what is decided before any of them runs has one order, whatever they do.
fn streams(trace: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut streams: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut parents: BTreeMap<String, String> = BTreeMap::new();
    for entry in items(trace) {
        if let ("call" | "callDirect", Some(id), Some(parent)) =
            (entry["nested"].as_str().unwrap_or_default(), entry["id"].as_str(), entry["parent"].as_str())
        {
            parents.insert(id.to_owned(), parent.to_owned());
        }
        let stream = call_of(entry, &parents).map_or_else(|| "main".to_owned(), |id| format!("call {id}"));
        streams.entry(stream).or_default().push(entry.clone());
        if entry["event"] == "tool_execution_start" {
            streams.entry("starts".to_owned()).or_default().push(entry.clone());
        }
    }
    streams
}

/// The top-level tool call an entry belongs to.
fn call_of(entry: &Value, parents: &BTreeMap<String, String>) -> Option<String> {
    let message = entry["event"].as_str().is_some_and(|event| event.starts_with("message_"));
    if message || entry.get("do").is_some() {
        return None;
    }
    let key = if entry.get("nested").is_some() { "parent" } else { "toolCallId" };
    let mut id = entry[key].as_str()?;
    // A call is at most as deep as there are nested calls; a loop of ids ends here.
    for _ in 0..parents.len() {
        id = parents.get(id).map_or(id, String::as_str);
    }
    Some(id.to_owned())
}

/// A recording without the texts of failed results.
fn blurred(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(blurred).collect(),
        Value::Object(fields) => {
            let mut out: Value = fields.iter().map(|(key, field)| (key.clone(), blurred(field))).collect();
            if out["isError"] == true {
                blur_texts(out.get_mut("content"));
                blur_texts(out.get_mut("result").and_then(|result| result.get_mut("content")));
            }
            out
        }
        other => other.clone(),
    }
}

fn blur_texts(content: Option<&mut Value>) {
    for block in content.and_then(Value::as_array_mut).into_iter().flatten() {
        if block.get("text").is_some() {
            *block = json!({ "text": "*" });
        }
    }
}

#[cfg(test)]
mod tests;
