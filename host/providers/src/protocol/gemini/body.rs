//! How a request to Gemini is written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::ToolDefinition;
use serde_json::{Map, Value, json};

use crate::conversation::{Answered, Piece, Said, Turn};
use crate::protocol::Asked;
use crate::table::Amount;

/// What stands for the signature of a call that another model made. Without one the service refuses the request.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The body of a request.
pub(super) fn of(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    if !asked.system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({ "parts": [text(asked.system)] }));
    }
    body.insert("contents".to_owned(), Value::Array(contents(asked)));
    if !asked.tools.is_empty() {
        let declarations: Vec<Value> = asked.tools.iter().map(declaration).collect();
        body.insert("tools".to_owned(), json!([{ "functionDeclarations": declarations }]));
    }
    let config = config(asked);
    if !config.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(config));
    }
    Value::Object(body)
}

/// Whether it is Gemini 3 or later. These want signatures, see pictures within results, and do not want a temperature.
fn is_new(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.starts_with("gemini-") && !["gemini-1.", "gemini-2."].iter().any(|old| name.starts_with(old))
}

fn config(asked: &Asked<'_>) -> Map<String, Value> {
    let thinking = thinking(asked);
    let fields = [
        ("maxOutputTokens", asked.is_limited.then(|| json!(asked.max_tokens))),
        ("temperature", asked.temperature.filter(|_| !is_new(asked.model)).map(|temperature| json!(temperature))),
        ("thinkingConfig", (!thinking.is_empty()).then_some(Value::Object(thinking))),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn thinking(asked: &Asked<'_>) -> Map<String, Value> {
    let amount = asked.thinking.map(|amount| match amount {
        Amount::Tokens(tokens) => ("thinkingBudget", json!(tokens)),
        Amount::Effort(effort) => ("thinkingLevel", json!(effort)),
    });
    let shown = asked.thinks.then_some(("includeThoughts", json!(true)));
    amount.into_iter().chain(shown).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn declaration(tool: &ToolDefinition) -> Value {
    json!({ "name": &*tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters })
}

fn contents(asked: &Asked<'_>) -> Vec<Value> {
    let is_new = is_new(asked.model);
    let contents = asked.turns.iter().flat_map(|turn| match turn {
        Turn::User(pieces) => vec![("user", pieces.iter().filter_map(piece).collect())],
        Turn::Model(said) => vec![("model", parts(said, is_new))],
        Turn::Results(results) if is_new => vec![("user", results.iter().map(with_pictures).collect())],
        // These count the parts beside the results as results.
        Turn::Results(results) => {
            let pictures = results.iter().flat_map(pictures_behind).collect();
            vec![("user", results.iter().map(response).collect::<Vec<_>>()), ("user", pictures)]
        }
    });
    let contents = contents.filter(|(_, parts)| !parts.is_empty());
    contents.map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// A piece as a part. An empty text is none.
fn piece(piece: &Piece<'_>) -> Option<Value> {
    match piece {
        Piece::Text("") => None,
        Piece::Text(said) => Some(text(said)),
        Piece::Image { data, mime_type } => {
            Some(json!({ "inlineData": { "mimeType": mime_type, "data": STANDARD.encode(data) } }))
        }
    }
}

/// What the model said. Its reasoning does not go back, but the proof of it does, in the place where it came.
fn parts(said: &[Said<'_>], is_new: bool) -> Vec<Value> {
    let mut missing = is_new.then_some(NO_SIGNATURE);
    let part = |said: &Said<'_>| match said {
        Said::Text(said) => Some(text(said)),
        Said::Thinking { signature, .. } => signature.map(|signature| signed(text(""), Some(signature))),
        Said::Call { id, name, arguments, signature } => {
            let call = json!({ "id": id, "name": name, "args": arguments });
            // Only the first call of a step has to have one.
            let signature = signature.or(missing);
            missing = None;
            Some(signed(json!({ "functionCall": call }), signature))
        }
    };
    said.iter().filter_map(part).collect()
}

fn signed(mut part: Value, signature: Option<&str>) -> Value {
    if let (Some(part), Some(signature)) = (part.as_object_mut(), signature) {
        part.insert("thoughtSignature".to_owned(), json!(signature));
    }
    part
}

fn response(answered: &Answered<'_>) -> Value {
    let text = told(answered);
    let key = if answered.is_error { "error" } else { "output" };
    let response = json!({ "id": answered.id, "name": answered.name, "response": { key: text } });
    json!({ "functionResponse": response })
}

/// A result with its pictures in it.
fn with_pictures(answered: &Answered<'_>) -> Value {
    let (mut response, pictures) = (response(answered), pictures(answered));
    if let Some(response) = response.pointer_mut("/functionResponse").and_then(Value::as_object_mut)
        && !pictures.is_empty()
    {
        response.insert("parts".to_owned(), Value::Array(pictures));
    }
    response
}

/// The pictures of a result behind all results, and whose they are.
fn pictures_behind(answered: &Answered<'_>) -> Vec<Value> {
    let pictures = pictures(answered);
    let whose = text(&format!("What the call {} of {} shows:", answered.id, answered.name));
    if pictures.is_empty() { pictures } else { std::iter::once(whose).chain(pictures).collect() }
}

fn pictures(answered: &Answered<'_>) -> Vec<Value> {
    answered.content.iter().filter(|piece| matches!(piece, Piece::Image { .. })).filter_map(piece).collect()
}

/// The text of a result.
fn told(answered: &Answered<'_>) -> String {
    let texts = answered.content.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(*text),
        Piece::Image { .. } => None,
    });
    match texts.collect::<Vec<_>>().join("\n") {
        text if !text.is_empty() => text,
        _ => "(a picture)".to_owned(),
    }
}
