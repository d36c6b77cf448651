//! What a request looks like, and what is read from a response.

mod body;
mod calls;
mod reader;

use seam_loop::{AssistantMessage, Model, StreamEvent};
use serde_json::{Value, json};

use super::reader::Reading;
use crate::answer::Answer;
use crate::fault::Fault;
use crate::protocol::{Flow, Reader};

fn model() -> Model {
    Model { provider: "openai".to_owned(), id: "gpt-5.6".to_owned() }
}

/// What is told of a response with these events. It ends behind them.
fn told(events: &[Value]) -> Result<Vec<StreamEvent>, Fault> {
    let (mut reading, mut answer) = (Reading::default(), Answer::new(model()));
    let mut flow = Flow::Goes;
    for event in events.iter().filter(|event| !event.is_null()) {
        flow = reading.take(None, event, &mut answer)?;
        if flow == Flow::Complete {
            break;
        }
    }
    if flow == Flow::Goes {
        reading.end(&mut answer)?;
    }
    answer.finish(|_| 0.0)?;
    Ok(std::iter::from_fn(|| answer.next_event()).collect())
}

/// The whole answer of these events.
fn read(events: &[Value]) -> Result<AssistantMessage, Fault> {
    match told(events)?.pop() {
        Some(StreamEvent::End(message)) => Ok(*message),
        other => panic!("no end: {other:?}"),
    }
}

/// The text of the fault that these events are.
fn fault(events: &[Value]) -> String {
    read(events).unwrap_err().text
}

fn added(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

/// A call as an item.
fn call(id: &str, call_id: &str, arguments: &str) -> Value {
    let status = "in_progress";
    json!({
        "type": "function_call", "id": id, "call_id": call_id, "name": "write", "arguments": arguments, "status": status
    })
}

/// A piece of the arguments of a call.
fn piece(index: u64, id: &str, delta: &str) -> Value {
    json!({ "type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": delta })
}

/// The arguments of a call are complete.
fn whole(index: u64, id: &str, arguments: &str) -> Value {
    let kind = "response.function_call_arguments.done";
    json!({ "type": kind, "output_index": index, "item_id": id, "arguments": arguments })
}

fn completed() -> Value {
    json!({ "type": "response.completed", "response": { "status": "completed", "error": null } })
}

/// The end of an answer that is not complete.
fn cut_off(reason: &str) -> Value {
    json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": reason } } })
}
