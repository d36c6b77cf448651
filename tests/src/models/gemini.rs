//! An answer as Google Gemini streams it: whole responses without a name, each with some more parts.

use serde_json::{Map, Value, json};

use super::sse::{Event, Mark};
use super::{Block, Protocol, Said, Stop, Usage, cut};

/// The events of an answer. A call is one part, with the proof of the thinking before it. Where no call follows, the
/// proof comes in an empty text at the end.
pub fn events(said: &Said) -> Vec<Event> {
    if said.blocks.is_empty() && said.stop == Stop::Refusal {
        return vec![blocked(said.usage)];
    }
    let mut proof = None;
    let mut events = Vec::new();
    for block in &said.blocks {
        match block {
            Block::Thinking { text, signature } => {
                let thought = |piece: &String| more(Mark::Thinking, json!({ "text": piece, "thought": true }), said);
                events.extend(cut(text, said.pieces).iter().map(thought));
                proof = signature.clone();
            }
            Block::Redacted(signature) => proof = Some(signature.clone()),
            Block::Text(text) => {
                let piece = |piece: &String| more(Mark::Text, json!({ "text": piece }), said);
                events.extend(cut(text, said.pieces).iter().map(piece));
            }
            Block::Call { id, name, arguments } => {
                let Some(arguments) = arguments.json() else { continue };
                let mut call = Map::new();
                call.extend(id.iter().map(|id| ("id".to_owned(), json!(id))));
                call.extend([("name".to_owned(), json!(name)), ("args".to_owned(), arguments)]);
                events.push(more(Mark::Arguments, signed(json!({ "functionCall": call }), proof.take()), said));
            }
        }
    }
    events.push(Event::json(Mark::End, &end(said, signed(json!({ "text": "" }), proof))));
    events
}

fn signed(mut part: Value, proof: Option<String>) -> Value {
    let fields = part.as_object_mut().expect("a part is an object");
    fields.extend(proof.map(|proof| ("thoughtSignature".to_owned(), json!(proof))));
    part
}

/// One part more. The usage so far is a part of the usage at the end: whoever adds them up has too much.
fn more(mark: Mark, part: Value, said: &Said) -> Event {
    let candidate = json!({ "content": { "parts": [part], "role": "model" }, "index": 0 });
    let usage = Usage { output: said.usage.thinking + 1, ..said.usage };
    Event::json(mark, &around(candidate, usage))
}

fn end(said: &Said, part: Value) -> Value {
    let reason = match said.stop {
        Stop::Stop | Stop::ToolUse => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
    };
    let content = json!({ "parts": [part], "role": "model" });
    around(json!({ "content": content, "finishReason": reason, "index": 0 }), said.usage)
}

fn around(candidate: Value, usage: Usage) -> Value {
    json!({
        "candidates": [candidate],
        "usageMetadata": counted(usage),
        "modelVersion": Protocol::Gemini.model(),
        "responseId": "1dH5aLdlu-fszw_R-5iICw",
    })
}

/// The prompt itself was refused: there is no candidate.
fn blocked(usage: Usage) -> Event {
    let usage = Usage { output: 0, thinking: 0, ..usage };
    let answer = json!({
        "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" },
        "usageMetadata": counted(usage),
        "modelVersion": Protocol::Gemini.model(),
        "responseId": "1dH5aLdlu-fszw_R-5iICw",
    });
    Event::json(Mark::End, &answer)
}

/// What is zero is left out. Thinking is not among the candidates' tokens.
fn counted(usage: Usage) -> Value {
    let fields = [
        ("promptTokenCount", usage.read()),
        ("candidatesTokenCount", usage.output - usage.thinking),
        ("totalTokenCount", usage.read() + usage.output),
        ("cachedContentTokenCount", usage.cache_read),
        ("thoughtsTokenCount", usage.thinking),
    ];
    let told = fields.iter().filter(|(_, count)| *count > 0);
    let mut counted: Map<String, Value> = told.map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
    let details = json!([{ "modality": "TEXT", "tokenCount": usage.read() }]);
    counted.insert("promptTokensDetails".to_owned(), details);
    Value::Object(counted)
}
