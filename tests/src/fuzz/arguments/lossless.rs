//! What may become of arguments before they are valid.

use serde_json::{Map, Value};

/// Whether only what was written in another way has changed: a text became the value that it holds, or a `null` went.
pub(super) fn is_lossless(from: &Value, to: &Value) -> bool {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => fields(from, to),
        (Value::Array(from), Value::Array(to)) => {
            from.len() == to.len() && from.iter().zip(to).all(|(from, to)| is_lossless(from, to))
        }
        (Value::String(text), to) if !to.is_string() => {
            serde_json::from_str::<Value>(text).is_ok_and(|held| !held.is_string() && is_lossless(&held, to))
        }
        (from, to) => from == to,
    }
}

fn fields(from: &Map<String, Value>, to: &Map<String, Value>) -> bool {
    let kept = from.iter().all(|(key, value)| match to.get(key) {
        Some(to) => is_lossless(value, to),
        None => value.is_null(),
    });
    kept && to.keys().all(|key| from.contains_key(key))
}
