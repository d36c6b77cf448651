//! JSON as models and their services write it.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// How much of invalid arguments is quoted, in characters.
const QUOTED: usize = 80;

/// How deep arguments may be nested: they are stored and recorded within other JSON, which has an end too.
const DEEPEST: usize = 64;

/// Reads a JSON text. Half of a surrogate pair, which no text can hold, becomes U+FFFD.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match paired(text) {
        Cow::Owned(paired) => serde_json::from_str(&paired),
        Cow::Borrowed(_) => Err(error),
    })
}

/// The arguments of a call, and why they could not be read. Those that could not stay as the text they are. Nothing at all
/// and `null` are no arguments.
pub(crate) fn arguments(text: &str) -> (Value, Option<String>) {
    if text.trim().is_empty() {
        return (Value::Object(Map::new()), None);
    }
    match parse(text) {
        Ok(Value::Null) => (Value::Object(Map::new()), None),
        Ok(arguments) if is_deep(&arguments) => {
            let fault = format!("the arguments are nested more than {DEEPEST} deep");
            (Value::String(text.to_owned()), Some(fault))
        }
        Ok(arguments) => (arguments, None),
        Err(error) => {
            let end: String = text.chars().rev().take(QUOTED).collect::<Vec<_>>().into_iter().rev().collect();
            let before = if end.len() < text.len() { "…" } else { "" };
            let fault = format!("the arguments are not valid JSON ({error}); they end with: {before}{end}");
            (Value::String(text.to_owned()), Some(fault))
        }
    }
}

/// Whether a value is nested deeper than may be stored.
fn is_deep(value: &Value) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return true;
        }
        match value {
            Value::Array(values) => open.extend(values.iter().map(|value| (value, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}

/// The text, with `\ufffd` in the place of each escaped half of a surrogate pair that stands alone.
fn paired(text: &str) -> Cow<'_, str> {
    let (mut fixed, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        fixed.push_str(before);
        let taken = match surrogate(escape) {
            Some(high) if high < 0xdc00 && escape.get(6..).and_then(surrogate).is_some_and(|low| low >= 0xdc00) => 12,
            Some(_) => {
                fixed.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            None => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (escape, after) = escape.split_at(taken);
        fixed.push_str(escape);
        rest = after;
    }
    if fixed.is_empty() {
        return Cow::Borrowed(text);
    }
    fixed.push_str(rest);
    Cow::Owned(fixed)
}

/// The half of a surrogate pair that is escaped at the beginning of the text.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|code| (0xd800..0xe000).contains(code))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Bug log 96.
    #[test]
    fn half_of_a_surrogate_pair_becomes_a_replacement_character() {
        for (text, expected) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ude00""#, "\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\n\ud83d\ude00é""#, "\n\u{1f600}é"),
        ] {
            assert_eq!(parse::<Value>(text).unwrap(), json!(expected), "{text}");
        }
        assert!(parse::<Value>(r#""\u12""#).is_err());
        assert!(parse::<Value>(r#"\"#).is_err());
    }

    /// Bug log 110 and 112.
    #[test]
    fn arguments_that_cannot_be_read_stay_as_they_are() {
        for empty in ["", " ", "null", "{}"] {
            assert_eq!(arguments(empty), (json!({}), None), "{empty}");
        }
        assert_eq!(arguments("[]"), (json!([]), None));
        for broken in [r#"{"path":"a", "content":"half"#, "{'a': 1}", r#"{"a": 1,}"#, r#"{"a":1}{"b":2}"#] {
            let (value, error) = arguments(broken);
            assert_eq!(value, json!(broken));
            assert!(error.unwrap().contains(broken), "{broken}");
        }
    }

    #[test]
    fn arguments_that_are_too_deep_to_be_stored_are_none() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(arguments(&nested(64)).1, None);
        let (value, error) = arguments(&nested(65));
        assert_eq!(
            (value, error.unwrap()),
            (json!(nested(65)), "the arguments are nested more than 64 deep".to_owned())
        );
    }
}
