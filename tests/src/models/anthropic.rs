//! An answer as Anthropic Messages streams it: named events, blocks by index.

use serde_json::{Value, json};

use super::sse::{Event, Mark};
use super::{Block, Protocol, Said, Stop, Usage, cut, turns};

/// The events of an answer.
pub fn events(said: &Said) -> Vec<Event> {
    let mut events = vec![start(said.usage)];
    let mut index = 0;
    for group in said.groups() {
        events.extend(blocks(group, index, said.pieces));
        index += group.len();
    }
    // The first ping comes with the first block, or with nothing.
    events.insert(events.len().min(2), Event::typed(Mark::Other, &json!({ "type": "ping" })));
    events.push(Event::typed(Mark::End, &end(said)));
    events.push(Event::typed(Mark::Done, &json!({ "type": "message_stop" })));
    events
}

fn start(usage: Usage) -> Event {
    let usage = json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation": { "ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0 },
        "output_tokens": 1,
        "service_tier": "standard",
        "inference_geo": "not_available",
    });
    let message = json!({
        "model": Protocol::Anthropic.model(),
        "id": "msg_01QC4g3HwBThD4BaNtBckFDJ",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "stop_details": null,
        "usage": usage,
    });
    Event::typed(Mark::Other, &json!({ "type": "message_start", "message": message }))
}

/// The events of blocks that come together. There is more than one only when they are calls by turns.
fn blocks(group: &[Block], first: usize, pieces: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for (place, block) in group.iter().enumerate() {
        events.push(begin(first + place, block));
        if block.is_call() {
            events.push(delta(Mark::Call, first + place, &arguments("")));
        }
    }
    let content: Vec<Vec<String>> = group.iter().map(|block| written(block, pieces)).collect();
    for (place, piece) in turns(&content) {
        let (mark, piece) = match &group[place] {
            Block::Thinking { .. } => (Mark::Thinking, json!({ "type": "thinking_delta", "thinking": piece })),
            Block::Call { .. } => (Mark::Arguments, arguments(piece)),
            Block::Text(_) | Block::Redacted(_) => (Mark::Text, json!({ "type": "text_delta", "text": piece })),
        };
        events.push(delta(mark, first + place, &piece));
    }
    for (place, block) in group.iter().enumerate() {
        if let Block::Thinking { signature: Some(signature), .. } = block {
            let signature = json!({ "type": "signature_delta", "signature": signature });
            events.push(delta(Mark::Thinking, first + place, &signature));
        }
        events.push(Event::typed(Mark::BlockEnd, &json!({ "type": "content_block_stop", "index": first + place })));
    }
    events
}

fn begin(index: usize, block: &Block) -> Event {
    let content = match block {
        Block::Thinking { .. } => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        Block::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        Block::Text(_) => json!({ "type": "text", "text": "" }),
        Block::Call { id, name, .. } => {
            let mut content = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
            if id.is_none() {
                content.as_object_mut().expect("it is an object").remove("id");
            }
            content
        }
    };
    let mark = if block.is_call() { Mark::Call } else { Mark::Other };
    Event::typed(mark, &json!({ "type": "content_block_start", "index": index, "content_block": content }))
}

/// What comes as deltas. Arguments that are `{}` come as none.
fn written(block: &Block, pieces: usize) -> Vec<String> {
    match block {
        Block::Thinking { text, .. } | Block::Text(text) => cut(text, pieces),
        Block::Redacted(_) => Vec::new(),
        Block::Call { arguments, .. } => match arguments.text().as_str() {
            "{}" => Vec::new(),
            text => cut(text, pieces),
        },
    }
}

fn arguments(piece: &str) -> Value {
    json!({ "type": "input_json_delta", "partial_json": piece })
}

fn delta(mark: Mark, index: usize, delta: &Value) -> Event {
    Event::typed(mark, &json!({ "type": "content_block_delta", "index": index, "delta": delta }))
}

fn end(said: &Said) -> Value {
    let reason = match said.stop {
        Stop::Stop => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Refusal => "refusal",
    };
    let details = match said.stop {
        Stop::Refusal => json!({ "type": "refusal", "category": null, "explanation": null }),
        _ => Value::Null,
    };
    json!({
        "type": "message_delta",
        "delta": { "stop_reason": reason, "stop_sequence": null, "stop_details": details },
        "usage": {
            "input_tokens": said.usage.input,
            "cache_creation_input_tokens": said.usage.cache_write,
            "cache_read_input_tokens": said.usage.cache_read,
            "output_tokens": said.usage.output,
        },
        "context_management": { "applied_edits": [] },
    })
}
