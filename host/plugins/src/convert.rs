//! Between the host's types and those of the contract. Texts that go to a guest in an event are lent, not copied.

pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod message;
pub(crate) mod model;

use seam_harness::Failure;
use serde_json::{Map, Value};

/// JSON text of a guest as a value. `what` names it in the failure.
pub(crate) fn json(what: &str, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::InvalidAnswer(format!("{what} is not JSON ({error})")))
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
