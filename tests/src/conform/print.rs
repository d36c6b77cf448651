//! A recording as text: one line for each entry and message.

use std::fmt::Write as _;

use serde_json::Value;

/// The text of a recording.
pub fn print(document: &Value) -> String {
    let mut out = String::from("{\n");
    let _ = writeln!(out, "\t\"trace\": {},", lines(&document["trace"], "\t"));
    let requests = document["requests"].as_array().into_iter().flatten().map(request);
    let _ = writeln!(out, "\t\"requests\": {},", list(requests.collect(), "\t"));
    let _ = writeln!(out, "\t\"transcript\": {},", lines(&document["transcript"], "\t"));
    let _ = writeln!(out, "\t\"toolRuns\": {}\n}}", document["toolRuns"]);
    out
}

/// A request, its messages on lines of their own.
fn request(request: &Value) -> String {
    let mut head = request.clone();
    let messages = head.as_object_mut().and_then(|fields| fields.remove("messages")).unwrap_or_default();
    let head = head.to_string();
    format!("{},\"messages\":{}}}", head.strip_suffix('}').unwrap_or(&head), lines(&messages, "\t\t"))
}

fn lines(values: &Value, indent: &str) -> String {
    list(values.as_array().into_iter().flatten().map(Value::to_string).collect(), indent)
}

fn list(items: Vec<String>, indent: &str) -> String {
    match items.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{indent}\t{}\n{indent}]", items.join(&format!(",\n{indent}\t"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_is_the_recording() {
        let recording = json!({
            "trace": [{ "step": 0, "call": "prompt" }, { "event": "agent_start" }],
            "requests": [
                { "model": "main", "messages": [{ "role": "user", "content": [] }] }, { "model": "main", "messages": [] },
            ],
            "transcript": [],
            "toolRuns": { "write": { "count": 1, "args": [{}] } },
        });
        let text = print(&recording);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), recording);
        assert_eq!(text.lines().count(), 14);
    }
}
