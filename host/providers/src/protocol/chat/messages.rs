//! The conversation, as messages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::conversation::{Answered, Piece, Said, Turn};
use crate::protocol::Asked;
use crate::settings::Quirk;

/// What stands for a result without a word.
const NO_OUTPUT: &str = "(no output)";
/// What stands for a result that is nothing but pictures.
const PICTURES: &str = "(a picture, which follows)";
/// What stands for reasoning that a service wants back and that is not there, after a hand-over. It refuses none at all.
const NO_REASONING: &str = "(not kept)";
/// What stands between results and what the user says, for services that want an answer to each result.
const BRIDGE: &str = "(interrupted)";

/// All messages.
pub(super) fn messages(asked: &Asked<'_>) -> Vec<Value> {
    let mut telling = Telling { asked, messages: Vec::new(), pictures: Vec::new() };
    if !asked.system.is_empty() {
        telling.messages.push(json!({ "role": "system", "content": asked.system }));
    }
    asked.turns.iter().for_each(|turn| telling.take(turn));
    telling.show();
    telling.messages
}

struct Telling<'a> {
    asked: &'a Asked<'a>,
    messages: Vec<Value>,
    /// The pictures of the last results: these cannot hold them.
    pictures: Vec<Value>,
}

impl Telling<'_> {
    fn take(&mut self, turn: &Turn<'_>) {
        match turn {
            Turn::User(pieces) if self.pictures.is_empty() && !pieces.iter().any(is_picture) => {
                self.user(Value::String(text(pieces)));
            }
            Turn::User(pieces) => {
                let before = std::mem::take(&mut self.pictures);
                self.user(before.into_iter().chain(pieces.iter().map(part)).collect());
            }
            Turn::Model(said) => {
                self.show();
                self.messages.extend(self.model(said));
            }
            Turn::Results(results) => {
                self.messages.extend(results.iter().map(result));
                self.pictures.extend(results.iter().flat_map(pictures));
            }
        }
    }

    /// Shows the pictures of results that wait for it.
    fn show(&mut self) {
        if !self.pictures.is_empty() {
            let pictures = std::mem::take(&mut self.pictures);
            self.user(Value::Array(pictures));
        }
    }

    fn user(&mut self, content: Value) {
        let is_behind_result = self.messages.last().is_some_and(|last| last.get("role") == Some(&json!("tool")));
        // Mistral, whose ids are short, refuses a user behind a result.
        if is_behind_result && self.has(Quirk::ShortIds) {
            self.messages.push(json!({ "role": "assistant", "content": BRIDGE }));
        }
        self.messages.push(json!({ "role": "user", "content": content }));
    }

    /// What the model said. Nothing if all it did was think: no service takes an empty message.
    fn model(&self, said: &[Said<'_>]) -> Option<Value> {
        let texts = said.iter().filter_map(|said| if let Said::Text(text) = said { Some(*text) } else { None });
        let text = texts.collect::<Vec<_>>().join("\n");
        let calls: Vec<Value> = said.iter().filter_map(call).collect();
        if text.is_empty() && calls.is_empty() {
            return None;
        }
        let content = if text.is_empty() { Value::Null } else { Value::String(text) };
        let mut message = Map::from_iter([("role".to_owned(), json!("assistant")), ("content".to_owned(), content)]);
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        message.extend(self.reasoning(said).map(|(name, value)| (name.to_owned(), value)));
        Some(Value::Object(message))
    }

    /// The model's own reasoning, for services that want it back.
    fn reasoning(&self, said: &[Said<'_>]) -> Option<(&'static str, Value)> {
        if self.has(Quirk::ReasoningObject) {
            let details: Vec<Value> = said.iter().flat_map(details).collect();
            return (!details.is_empty()).then_some(("reasoning_details", Value::Array(details)));
        }
        let thought =
            said.iter().filter_map(|said| if let Said::Thinking { text, .. } = said { Some(*text) } else { None });
        let text = thought.collect::<Vec<_>>().join("\n");
        match text.is_empty() {
            _ if !self.has(Quirk::ReturnReasoning) => None,
            false => Some(("reasoning_content", json!(text))),
            true => self.asked.thinks.then(|| ("reasoning_content", json!(NO_REASONING))),
        }
    }

    fn has(&self, quirk: Quirk) -> bool {
        self.asked.quirks.contains(&quirk)
    }
}

/// The pieces of reasoning with their proofs, as they came.
fn details(said: &Said<'_>) -> Vec<Value> {
    let Said::Thinking { signature: Some(signature), .. } = said else { return Vec::new() };
    serde_json::from_str(signature).unwrap_or_default()
}

fn call(said: &Said<'_>) -> Option<Value> {
    let Said::Call { id, name, arguments, .. } = said else { return None };
    let arguments = arguments.to_string();
    Some(json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }))
}

fn result(result: &Answered<'_>) -> Value {
    let text = text(&result.content);
    let content = match text.trim() {
        "" if result.content.iter().any(is_picture) => PICTURES,
        "" => NO_OUTPUT,
        _ => &text,
    };
    json!({ "role": "tool", "tool_call_id": result.id, "content": content })
}

/// The pictures of a result, and whose they are.
fn pictures(result: &Answered<'_>) -> Vec<Value> {
    let pictures: Vec<Value> = result.content.iter().filter(|piece| is_picture(piece)).map(part).collect();
    if pictures.is_empty() {
        return pictures;
    }
    let whose = format!("What `{}` shows, called as {}:", result.name, result.id);
    std::iter::once(json!({ "type": "text", "text": whose })).chain(pictures).collect()
}

fn is_picture(piece: &Piece<'_>) -> bool {
    matches!(piece, Piece::Image { .. })
}

fn text(pieces: &[Piece<'_>]) -> String {
    let texts = pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(*text) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

fn part(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(text) => json!({ "type": "text", "text": text }),
        Piece::Image { data, mime_type } => {
            let url = format!("data:{mime_type};base64,{}", STANDARD.encode(data));
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
    }
}
