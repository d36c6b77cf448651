//! Messages that only other programs write, as the model reads them: said by the user.

use serde_json::{Map, Value};

/// What the user said, by the role. The outer nothing: the role is not known. The inner: the model is not to see it.
pub(super) fn user(role: &str, fields: &mut Map<String, Value>) -> Option<Option<String>> {
    let summary = |fields: &Map<String, Value>| text(fields, "summary").to_owned();
    Some(match role {
        "compactionSummary" => Some(compacted(&summary(fields))),
        "branchSummary" => Some(summarised("Another way was tried here and left. In short:", &summary(fields))),
        "bashExecution" => (!is(fields, "excludeFromContext")).then(|| command(fields)),
        _ => return None,
    })
}

/// What a compaction leaves, as the user's words.
pub(crate) fn compacted(summary: &str) -> String {
    summarised("What was said before this is not shown. In short:", summary)
}

fn summarised(begin: &str, summary: &str) -> String {
    format!("{begin}\n\n<summary>\n{summary}\n</summary>")
}

/// A command that the user ran, and what came of it.
fn command(fields: &Map<String, Value>) -> String {
    let output = match text(fields, "output") {
        "" => "(no output)".to_owned(),
        output => format!("```\n{output}\n```"),
    };
    let mut told = format!("I ran `{}`:\n{output}", text(fields, "command"));
    match fields.get("exitCode").and_then(Value::as_i64) {
        _ if is(fields, "cancelled") => told.push_str("\n\nIt was cancelled."),
        None | Some(0) => {}
        Some(code) => told.push_str(&format!("\n\nIt ended with exit code {code}.")),
    }
    if is(fields, "truncated") {
        told.push_str("\n\nThe output was cut.");
    }
    told
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or_default()
}
