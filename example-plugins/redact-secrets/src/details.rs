//! The details of a result: JSON, of which each string is a text of its own.

use serde_json::{Error, Value};

use crate::{assignment, scan};

/// The details without their secrets; `None` when they have none. Fails on what is not JSON.
pub(crate) fn redact(details: &str) -> Result<Option<String>, Error> {
    let mut value: Value = serde_json::from_str(details)?;
    Ok(redact_value(&mut value).then(|| value.to_string()))
}

/// Redacts all strings below `value`; whether there was one to redact.
fn redact_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match scan::redact(text) {
            Some(redacted) => {
                *text = redacted;
                true
            }
            None => false,
        },
        Value::Array(items) => some(items.iter_mut().map(redact_value)),
        Value::Object(fields) => some(fields.iter_mut().map(|(name, field)| redact_field(name, field))),
        _ => false,
    }
}

/// A string under a secret's name is secret whatever its shape.
fn redact_field(name: &str, value: &mut Value) -> bool {
    match (assignment::kind_of(name.as_bytes()), value) {
        (Some(kind), Value::String(text)) if !text.is_empty() => {
            *text = format!("[redacted: {kind}]");
            true
        }
        (_, value) => redact_value(value),
    }
}

/// Whether one is true, after all have been made.
fn some(found: impl Iterator<Item = bool>) -> bool {
    found.filter(|found| *found).count() > 0
}
