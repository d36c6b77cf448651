//! What part of an answer a text is: newer models say of each whether it is a comment on the way or the answer itself, and
//! work worse if that does not come back. It is kept in a block of reasoning behind the text, which shows nothing and has
//! this as its signature.

use serde_json::{Value, json};

use crate::answer::{Answer, Part};
use crate::conversation::Said;

/// What such a signature calls itself.
const TYPE: &str = "phase";

/// Keeps the phase of a message that is complete.
pub(super) fn keep(number: usize, item: &Value, answer: &mut Answer) {
    let phase = item.get("phase").and_then(Value::as_str).filter(|phase| !phase.is_empty());
    let has_text = item.get("content").and_then(Value::as_array).is_some_and(|content| !content.is_empty());
    if let Some(phase) = phase.filter(|_| has_text) {
        let place = answer.open(format!("{number}.{TYPE}"), Part::Thinking);
        answer.sign(place, &json!({ "type": TYPE, "phase": phase }).to_string());
        answer.redact(place);
        answer.close(place);
    }
}

/// The phase of a text, by what stands behind it.
pub(super) fn of(behind: Option<&Said<'_>>) -> Option<String> {
    let Said::Thinking { signature: Some(signature), .. } = behind? else { return None };
    let kept: Value = serde_json::from_str(signature).ok()?;
    kept.get("type").filter(|kind| *kind == TYPE)?;
    Some(kept.get("phase")?.as_str()?.to_owned())
}
