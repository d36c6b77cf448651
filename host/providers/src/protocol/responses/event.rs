//! What stands in one event.

use seam_loop::Usage;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::fault::Fault;
use crate::json::parse;

/// What is between two parts of reasoning.
pub(super) const BETWEEN: &str = "\n\n";

/// What goes back to the service in place of reasoning: the item as it came, without what is not to be sent.
pub(super) fn proof(item: &Value) -> Option<String> {
    item.get("encrypted_content")?.as_str().filter(|proof| !proof.is_empty())?;
    let mut back = Map::from_iter([("type".to_owned(), json!("reasoning"))]);
    for name in ["id", "summary", "content", "encrypted_content"] {
        if let Some(value) = item.get(name).filter(|value| !value.is_null()) {
            back.insert(name.to_owned(), value.clone());
        }
    }
    back.entry("summary").or_insert_with(|| json!([]));
    Some(Value::Object(back).to_string())
}

/// The text of all parts in a list.
pub(super) fn joined(item: &Value, list: &str) -> String {
    let parts = item.get(list).and_then(Value::as_array).into_iter().flatten();
    let texts = parts.filter_map(|part| part.get("text")?.as_str()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(BETWEEN)
}

/// Whether these can be the whole arguments, after those that came; while the call is open, those may be the beginning of
/// them. Some services write them anew.
pub(super) fn agree(came: &str, whole: &str, is_open: bool) -> bool {
    let same = || parse::<Value>(came).is_ok_and(|came| parse::<Value>(whole).is_ok_and(|whole| came == whole));
    whole.is_empty() || whole == came || (is_open && whole.starts_with(came)) || same()
}

/// Tokens read from the cache or written to it are told among those read.
pub(super) fn count(data: &Value, answer: &mut Answer) {
    let Some(usage) = data.pointer("/response/usage").filter(|usage| usage.is_object()) else { return };
    let tokens = |at: &str| u32::try_from(usage.pointer(at).and_then(Value::as_u64).unwrap_or(0)).unwrap_or(u32::MAX);
    let cache_read = tokens("/input_tokens_details/cached_tokens");
    let cache_write = tokens("/input_tokens_details/cache_write_tokens");
    let input = tokens("/input_tokens").saturating_sub(cache_read).saturating_sub(cache_write);
    answer.usage = Usage { input, output: tokens("/output_tokens"), cache_read, cache_write, cost: 0.0 };
}

pub(super) fn refused(words: &str) -> Fault {
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    Fault::refusal(format!("the model refuses to answer{words}"))
}

pub(super) fn failed(data: &Value) -> Fault {
    let has_words = |at: &str| data.pointer(at).is_some_and(|words| !words.is_null());
    match has_words("/response/error") || has_words("/message") {
        true => Fault::of_event(data),
        false => Fault::stream("it says that it failed, and not why"),
    }
}

pub(super) fn item(data: &Value) -> Result<&Value, Fault> {
    data.get("item").filter(|item| item.is_object()).ok_or_else(|| Fault::stream("it sent an event without its item"))
}

pub(super) fn number_at(data: &Value, name: &str) -> u64 {
    data.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// The text of this name. What is missing is empty.
pub(super) fn text<'a>(data: &'a Value, name: &str) -> Result<&'a str, Fault> {
    match data.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Fault::stream(format!("it sent a `{name}` that is no text"))),
    }
}
