//! The conversation as messages. The user and the model speak by turns, and no block is empty: else the service refuses
//! all of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::conversation::{Answered, Piece, Said, Turn};

/// What stands for a result of which the pictures are elsewhere.
const NO_OUTPUT: &str = "(no output)";

/// The messages of a conversation.
pub(super) fn messages(turns: &[Turn<'_>]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks) = match turn {
            Turn::User(pieces) => ("user", self::pieces(pieces)),
            Turn::Model(said) => ("assistant", said.iter().filter_map(self::said).collect()),
            Turn::Results(results) => ("user", self::results(results)),
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some((before, content)) if *before == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// A text.
pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn pieces(pieces: &[Piece<'_>]) -> Vec<Value> {
    pieces.iter().filter_map(piece).collect()
}

fn piece(piece: &Piece<'_>) -> Option<Value> {
    match piece {
        Piece::Text(blank) if blank.trim().is_empty() => None,
        Piece::Text(said) => Some(text(said)),
        Piece::Image { data, mime_type } => {
            let source = json!({ "type": "base64", "media_type": mime_type, "data": STANDARD.encode(data) });
            Some(json!({ "type": "image", "source": source }))
        }
    }
}

/// Reasoning without its proof would be refused.
fn said(said: &Said<'_>) -> Option<Value> {
    match said {
        Said::Text(said) => Some(text(said)),
        Said::Thinking { signature: None, .. } => None,
        Said::Thinking { signature: Some(data), redacted: true, .. } => {
            Some(json!({ "type": "redacted_thinking", "data": data }))
        }
        Said::Thinking { text, signature: Some(signature), redacted: false } => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
        }
        Said::Call { id, name, arguments, .. } => {
            Some(json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }))
        }
    }
}

/// The results of calls stand before everything else.
fn results(results: &[Answered<'_>]) -> Vec<Value> {
    results.iter().map(result).chain(results.iter().flat_map(pictures_of_failed)).collect()
}

fn result(result: &Answered<'_>) -> Value {
    let shown = result.content.iter().filter(|piece| !(result.is_error && is_picture(piece)));
    let mut content: Vec<Value> = shown.filter_map(piece).collect();
    if content.is_empty() {
        content.push(text(NO_OUTPUT));
    }
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if let Some(block) = block.as_object_mut().filter(|_| result.is_error) {
        block.insert("is_error".to_owned(), true.into());
    }
    block
}

/// The service takes no pictures in the result of a call that failed: they come behind all results.
fn pictures_of_failed(result: &Answered<'_>) -> Vec<Value> {
    let pictures = result.content.iter().filter(|piece| result.is_error && is_picture(piece));
    let pictures: Vec<Value> = pictures.filter_map(piece).collect();
    let whose = text(&format!("[Pictures of the failed call {}]", result.id));
    if pictures.is_empty() { pictures } else { std::iter::once(whose).chain(pictures).collect() }
}

fn is_picture(piece: &Piece<'_>) -> bool {
    matches!(piece, Piece::Image { .. })
}
