//! The body of a request. What only some services take is sent to those alone, as their quirks say.

use serde_json::{Value, json};

use super::messages::messages;
use crate::options::CacheRetention;
use crate::protocol::{Asked, schema};
use crate::settings::Quirk;
use crate::table::Amount;

/// A field of the body.
type Field = (&'static str, Value);

/// The body.
pub(super) fn body(asked: &Asked<'_>) -> Value {
    let fixed =
        [("model", json!(asked.model)), ("messages", Value::Array(messages(asked))), ("stream", Value::Bool(true))];
    let fields = fixed.into_iter().chain(counted(asked)).chain(tools(asked)).chain(limit(asked));
    let fields = fields.chain(thinking(asked)).chain(temperature(asked)).chain(cache(asked));
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Asks for the usage.
fn counted(asked: &Asked<'_>) -> Option<Field> {
    let is_asked = !asked.quirks.contains(&Quirk::NoStreamOptions);
    is_asked.then(|| ("stream_options", json!({ "include_usage": true })))
}

fn tools(asked: &Asked<'_>) -> Option<Field> {
    let tool = |tool: &seam_loop::ToolDefinition| {
        json!({ "type": "function", "function": {
            "name": &*tool.name,
            "description": tool.description,
            "parameters": schema(&tool.parameters),
        } })
    };
    (!asked.tools.is_empty()).then(|| ("tools", asked.tools.iter().map(tool).collect()))
}

fn limit(asked: &Asked<'_>) -> Option<Field> {
    let name = match asked.quirks.contains(&Quirk::MaxCompletionTokens) {
        true => "max_completion_tokens",
        false => "max_tokens",
    };
    asked.is_limited.then(|| (name, json!(asked.max_tokens)))
}

/// How much it is to think.
fn thinking(asked: &Asked<'_>) -> Vec<Field> {
    let has = |quirk| asked.quirks.contains(&quirk);
    let word = match asked.thinking {
        Some(Amount::Effort(word)) => Some(word),
        Some(Amount::Tokens(tokens)) if has(Quirk::ReasoningObject) => {
            return vec![("reasoning", json!({ "max_tokens": tokens }))];
        }
        // The others know no number.
        Some(Amount::Tokens(_)) | None => None,
    };
    let effort = word.map(|word| ("reasoning_effort", json!(word)));
    match word {
        Some(word) if has(Quirk::ReasoningObject) => vec![("reasoning", json!({ "effort": word }))],
        _ if has(Quirk::ThinkingSwitch) && asked.thinks => {
            let switch = ("thinking", json!({ "type": "enabled" }));
            std::iter::once(switch).chain(effort).collect()
        }
        Some(word) if has(Quirk::ThinkingSwitch) => vec![("thinking", json!({ "type": word }))],
        _ => effort.into_iter().collect(),
    }
}

/// Models that think take none.
fn temperature(asked: &Asked<'_>) -> Option<Field> {
    let temperature = asked.temperature.filter(|_| !asked.thinks)?;
    Some(("temperature", json!(temperature)))
}

/// OpenRouter sets the marks by itself if it is told to. Models of others need none.
fn cache(asked: &Asked<'_>) -> Option<Field> {
    let needs_marks = asked.quirks.contains(&Quirk::ReasoningObject) && asked.model.starts_with("anthropic/");
    let mark = match asked.cache {
        CacheRetention::None => return None,
        CacheRetention::Short => json!({ "type": "ephemeral" }),
        CacheRetention::Long => json!({ "type": "ephemeral", "ttl": "1h" }),
    };
    needs_marks.then_some(("cache_control", mark))
}
