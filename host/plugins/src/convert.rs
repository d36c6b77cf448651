//! Between the host's types and those of the contract. Texts that go to a guest in an event are lent, not copied.

pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod message;
pub(crate) mod model;

use seam_harness::Failure;
use serde_json::{Map, Value};

/// How many lists and objects within each other a guest's JSON may have. What is stored has some more around it, and no
/// reader of the file takes more than 127.
const DEEPEST: u32 = 100;

/// JSON text of a guest as a value. `what` names it in the failure.
pub(crate) fn json(what: &str, text: &str) -> Result<Value, Failure> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| Failure::InvalidAnswer(format!("{what} is not JSON ({error})")))?;
    match is_deeper(&value, DEEPEST) {
        true => Err(Failure::InvalidAnswer(format!("{what} has more than {DEEPEST} levels"))),
        false => Ok(value),
    }
}

/// Whether a value has more than so many levels. Parsing has bounded how many it has.
fn is_deeper(value: &Value, levels: u32) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, left)),
        Value::Object(values) => values.values().any(|value| is_deeper(value, left)),
        _ => false,
    }
}

/// JSON text of a guest as an object.
pub(crate) fn object(what: &str, text: &str) -> Result<Map<String, Value>, Failure> {
    match json(what, text)? {
        Value::Object(object) => Ok(object),
        _ => Err(Failure::InvalidAnswer(format!("{what} is not a JSON object"))),
    }
}

/// A count of the host for a guest.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Whether a name is made of the letters that are allowed, and not too long.
pub(crate) fn is_name(name: &str, allowed: impl Fn(char) -> bool) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(allowed)
}

/// Texts, lent.
pub(crate) fn names(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_100_levels_at_most() {
        let lists = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        for (text, fits) in [
            (lists(100), true),
            (lists(101), false),
            (format!("[1,{}]", lists(99)), true),
            (format!("[1,{}]", lists(100)), false),
            (objects(100), true),
            (objects(101), false),
            (lists(100_000), false),
        ] {
            assert_eq!(json("it", &text).is_ok(), fits);
        }
    }
}
