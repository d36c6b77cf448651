//! JSON as recordings need it: equality as in ECMAScript, long strings in short, values as ECMAScript prints them.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The longest string a recording holds as it is, in bytes.
const LONGEST: usize = 1024;

/// Under these keys long strings are recorded by their length and digest.
const SHORTENED: &[&str] = &["text", "thinking", "data", "args", "details", "structuredContent", "sections", "delta"];

/// Whether two values are equal: key order means nothing, and `1` is `1.0`.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => one.len() == other.len() && contains(other, one),
        _ => one == other,
    }
}

/// Whether every key of the pattern is in the value with an equal value; objects recursively.
pub(super) fn matches(pattern: &Value, value: &Value) -> bool {
    match (pattern, value) {
        (Value::Object(pattern), Value::Object(value)) => {
            pattern.iter().all(|(key, wanted)| value.get(key).is_some_and(|value| matches(wanted, value)))
        }
        _ => same(pattern, value),
    }
}

/// Whether every key of `part` is in `whole` with the same value.
pub(super) fn contains(whole: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    part.iter().all(|(key, wanted)| whole.get(key).is_some_and(|value| same(wanted, value)))
}

/// Adds a key, when it has a value.
pub(super) fn put(entry: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        entry[key] = value.into();
    }
}

/// The strings of a list.
pub(super) fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A value with its long strings in short.
pub(super) fn shortened(mut value: Value) -> Value {
    shorten(&mut value, false);
    value
}

fn shorten(value: &mut Value, inside: bool) {
    match value {
        Value::String(text) if inside && text.len() > LONGEST => {
            let digest = Sha256::digest(text.as_bytes());
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            *value = json!({ "bytes": text.len(), "sha256": hex });
        }
        Value::Array(list) => list.iter_mut().for_each(|element| shorten(element, inside)),
        Value::Object(fields) => {
            for (key, field) in fields {
                shorten(field, inside || SHORTENED.contains(&key.as_str()));
            }
        }
        _ => {}
    }
}

/// Canonical JSON text.
pub(super) fn canonical(value: &Value) -> String {
    serde_jcs::to_string(value).expect("JSON has a canonical form")
}

/// What ECMAScript's `String(value)` gives.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let texts = list.iter().map(|element| if element.is_null() { String::new() } else { as_text(element) });
            texts.collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
        other => canonical(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_that_of_ecmascript() {
        assert!(same(&json!({ "a": 1, "b": [2.0] }), &json!({ "b": [2], "a": 1.0 })));
        assert!(!same(&json!({ "a": 1 }), &json!({ "a": 1, "b": 2 })));
        assert!(matches(&json!({ "a": { "b": 1 } }), &json!({ "a": { "b": 1, "c": 2 }, "d": 3 })));
        assert!(!matches(&json!({ "a": [1] }), &json!({ "a": [1, 2] })));
    }

    #[test]
    fn long_strings_are_shortened_where_content_is() {
        let long = "é".repeat(513);
        let value = shortened(json!({ "args": { "x": [long] }, "name": long, "text": "short" }));
        assert_eq!(value["args"]["x"][0]["bytes"], 1026);
        assert_eq!((&value["name"], &value["text"]), (&json!(long), &json!("short")));
    }

    #[test]
    fn values_print_as_in_ecmascript() {
        assert_eq!(as_text(&json!([1, null, ["a", true]])), "1,,a,true");
        assert_eq!((as_text(&json!({})), as_text(&json!(null))), ("[object Object]".to_owned(), "null".to_owned()));
    }
}
