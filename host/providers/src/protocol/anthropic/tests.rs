//! What is sent, and what is made of what comes.

mod asking;
mod reading;

use seam_loop::{AssistantMessage, Model, StreamEvent};
use serde_json::{Value, json};

use super::*;
use crate::answer::Answer;
use crate::fault::Fault;
use crate::protocol::Flow;

const MODEL: &str = "claude-sonnet-5";

fn model(provider: &str, id: &str) -> Model {
    Model { provider: provider.to_owned(), id: id.to_owned() }
}

/// Reads events as a response has them: what it tells, and what comes of it.
fn read_all(events: &[Value]) -> (Vec<StreamEvent>, Result<AssistantMessage, Fault>) {
    let mut answer = Answer::new(model("anthropic", MODEL));
    let mut reader = Anthropic.reader();
    let mut read = || {
        for event in events {
            if reader.take(event["type"].as_str(), event, &mut answer)? == Flow::Complete {
                return answer.finish(|_| 0.5);
            }
        }
        reader.end(&mut answer)
    };
    let read = read();
    let mut told: Vec<StreamEvent> = std::iter::from_fn(|| answer.next_event()).collect();
    let message = read.map(|()| match told.pop() {
        Some(StreamEvent::End(message)) => *message,
        last => panic!("the last event is {last:?}"),
    });
    (told, message)
}

fn read(events: &[Value]) -> AssistantMessage {
    read_all(events).1.unwrap()
}

fn fault(events: &[Value]) -> Fault {
    read_all(events).1.unwrap_err()
}

fn start() -> Value {
    let usage = json!({ "input_tokens": 21, "cache_creation_input_tokens": 8, "cache_read_input_tokens": 13,
        "cache_creation": { "ephemeral_5m_input_tokens": 8, "ephemeral_1h_input_tokens": 0 }, "output_tokens": 1 });
    json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
        "model": MODEL, "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage } })
}

fn begin(index: impl Into<Option<u64>>, content: &Value) -> Value {
    indexed(index.into(), json!({ "type": "content_block_start", "content_block": content }))
}

fn call(index: impl Into<Option<u64>>, id: &str, name: &str) -> Value {
    begin(index, &json!({ "type": "tool_use", "id": id, "name": name, "input": {} }))
}

fn delta(index: impl Into<Option<u64>>, kind: &str, field: &str, piece: &str) -> Value {
    let delta = json!({ "type": kind, field: piece });
    indexed(index.into(), json!({ "type": "content_block_delta", "delta": delta }))
}

fn words(index: impl Into<Option<u64>>, piece: &str) -> Value {
    delta(index, "text_delta", "text", piece)
}

fn thought(index: impl Into<Option<u64>>, piece: &str) -> Value {
    delta(index, "thinking_delta", "thinking", piece)
}

fn input(index: impl Into<Option<u64>>, piece: &str) -> Value {
    delta(index, "input_json_delta", "partial_json", piece)
}

fn end(index: impl Into<Option<u64>>) -> Value {
    indexed(index.into(), json!({ "type": "content_block_stop" }))
}

fn indexed(index: Option<u64>, mut event: Value) -> Value {
    if let Some(index) = index {
        event["index"] = index.into();
    }
    event
}

fn stop(reason: &str) -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null, "stop_details": null },
        "usage": { "output_tokens": 34 } })
}

fn done() -> Value {
    json!({ "type": "message_stop" })
}
