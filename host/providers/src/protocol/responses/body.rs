//! How a request is written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::ToolDefinition;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::phase;
use crate::conversation::{Answered, Piece, Said, Turn};
use crate::options::CacheRetention;
use crate::protocol::{Asked, schema};
use crate::table::Amount;

/// The fewest tokens that the service takes as a limit.
const FEWEST: u32 = 16;
/// The models whose prompts are kept for a day when that is asked for. Later ones have times of their own.
const KEPT_FOR_A_DAY: [&str; 7] =
    ["gpt-4.1", "gpt-5.1", "gpt-5.2", "gpt-5.3-codex", "gpt-5.4", "gpt-5.5", "gpt-5.5-pro"];
/// What the models begin with whose prompts are kept for money, and which can be told not to.
const KEPT_FOR_MONEY: [&str; 2] = ["gpt-5.6", "gpt-6"];

/// The body of a request.
pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(asked.model));
    put("stream", json!(true));
    put("store", json!(false));
    if !asked.system.is_empty() {
        put("instructions", json!(asked.system));
    }
    put("input", asked.turns.iter().flat_map(items).collect());
    if !asked.tools.is_empty() {
        put("tools", asked.tools.iter().map(tool).collect());
    }
    if asked.is_limited {
        put("max_output_tokens", json!(asked.max_tokens.max(FEWEST)));
    }
    body.extend(thinking(asked));
    body.extend(caching(asked));
    Value::Object(body)
}

/// How much it is to think. What a model thinks is asked for in a form that can be given back to it. A model that
/// thinks takes no temperature.
fn thinking(asked: &Asked<'_>) -> Map<String, Value> {
    let mut reasoning = Map::new();
    if let Some(Amount::Effort(word)) = asked.thinking {
        reasoning.insert("effort".to_owned(), json!(word));
    }
    let mut fields = Map::new();
    if asked.can_think && !is_off(asked) {
        reasoning.insert("summary".to_owned(), json!("auto"));
        fields.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    } else if let Some(temperature) = asked.temperature {
        fields.insert("temperature".to_owned(), json!(temperature));
    }
    if !reasoning.is_empty() {
        fields.insert("reasoning".to_owned(), Value::Object(reasoning));
    }
    fields
}

/// Whether the model is told not to think. One that cannot be told so thinks even so.
fn is_off(asked: &Asked<'_>) -> bool {
    !asked.thinks && asked.thinking.is_some()
}

/// Prompts are kept without being asked for. The key brings the requests of one conversation to the same place.
fn caching(asked: &Asked<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    if asked.cache == CacheRetention::None {
        if KEPT_FOR_MONEY.iter().any(|model| asked.model.starts_with(model)) {
            fields.insert("prompt_cache_options".to_owned(), json!({ "mode": "explicit" }));
        }
        return fields;
    }
    fields.insert("prompt_cache_key".to_owned(), json!(key(asked)));
    let is =
        |model: &&str| asked.model.strip_prefix(*model).is_some_and(|date| date.is_empty() || date.starts_with("-20"));
    if asked.cache == CacheRetention::Long && KEPT_FOR_A_DAY.iter().any(is) {
        fields.insert("prompt_cache_retention".to_owned(), json!("24h"));
    }
    fields
}

/// The same for all requests of a conversation.
fn key(asked: &Asked<'_>) -> String {
    let mut hash = Sha256::new_with_prefix(asked.system);
    if let Some(Turn::User(pieces)) = asked.turns.first() {
        pieces.iter().filter_map(text).for_each(|text| hash.update(text));
    }
    let digits: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("seam-{digits}")
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema(&tool.parameters),
        // Else the service makes every argument a required one.
        "strict": false,
    })
}

/// The items of a turn.
fn items(turn: &Turn<'_>) -> Vec<Value> {
    match turn {
        Turn::User(pieces) => {
            let content: Vec<Value> = pieces.iter().map(content).collect();
            vec![json!({ "type": "message", "role": "user", "content": content })]
        }
        Turn::Model(said) => {
            // Reasoning is refused without what it led to.
            let end = said.iter().rposition(|said| !matches!(said, Said::Thinking { .. })).map_or(0, |last| last + 1);
            said.iter().take(end).enumerate().filter_map(|(place, piece)| item(piece, said.get(place + 1))).collect()
        }
        Turn::Results(results) => results.iter().map(result).collect(),
    }
}

/// What the model said. None of it has the id that it had: the service would look for what belongs to it.
fn item(said: &Said<'_>, behind: Option<&Said<'_>>) -> Option<Value> {
    match said {
        Said::Text(text) => {
            let mut message = json!({ "type": "message", "role": "assistant", "content": text });
            if let (Some(message), Some(phase)) = (message.as_object_mut(), phase::of(behind)) {
                message.insert("phase".to_owned(), phase.into());
            }
            Some(message)
        }
        Said::Thinking { signature, .. } => {
            let item: Value = serde_json::from_str((*signature)?).ok()?;
            (item.get("type")? == "reasoning").then_some(item)
        }
        Said::Call { id, name, arguments, .. } => {
            let arguments = arguments.to_string();
            Some(json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments }))
        }
    }
}

fn result(answered: &Answered<'_>) -> Value {
    let texts: Option<Vec<&str>> = answered.content.iter().map(text).collect();
    let output = match texts.map(|texts| texts.join("\n")) {
        Some(text) => json!(text),
        None => answered.content.iter().map(content).collect(),
    };
    json!({ "type": "function_call_output", "call_id": answered.id, "output": output })
}

fn content(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(text) => json!({ "type": "input_text", "text": text }),
        Piece::Image { data, mime_type } => {
            let url = format!("data:{mime_type};base64,{}", STANDARD.encode(data));
            json!({ "type": "input_image", "image_url": url, "detail": "auto" })
        }
    }
}

fn text<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    match piece {
        Piece::Text(text) => Some(text),
        Piece::Image { .. } => None,
    }
}
