//! An answer as OpenAI Responses streams it: named events, numbered, items by their output index.

use serde_json::{Value, json};

use super::sse::{Event, Mark};
use super::{Block, Protocol, Said, Stop, Usage, cut, turns};

/// The events of an answer.
pub fn events(said: &Said) -> Vec<Event> {
    let mut writer = Writer::default();
    let whole = |status: &str, output: &[Value], said: Option<&Said>| response(status, output, said);
    writer.put(Mark::Other, json!({ "type": "response.created", "response": whole("in_progress", &[], None) }));
    writer.put(Mark::Other, json!({ "type": "response.in_progress", "response": whole("in_progress", &[], None) }));
    let groups: Vec<&[Block]> = said.groups().collect();
    for (place, group) in groups.iter().enumerate() {
        // What was under way when the answer was cut off is incomplete.
        let cut_off = place + 1 == groups.len() && matches!(said.stop, Stop::Length | Stop::Refusal);
        let status = if cut_off { "incomplete" } else { "completed" };
        match &group[0] {
            Block::Thinking { text, signature } => writer.thinking(text, signature.as_deref(), said.pieces),
            Block::Redacted(proof) => writer.thinking("", Some(proof), said.pieces),
            Block::Text(text) => writer.text(text, said.pieces, status),
            Block::Call { .. } => writer.calls(group, said.pieces, status),
        }
    }
    let status = match said.stop {
        Stop::Stop | Stop::ToolUse => "completed",
        Stop::Length | Stop::Refusal => "incomplete",
    };
    let answer = whole(status, &writer.output, Some(said));
    writer.put(Mark::End, json!({ "type": format!("response.{status}"), "response": answer }));
    writer.events
}

/// A response object: with the answer when it is complete.
pub fn response(status: &str, output: &[Value], said: Option<&Said>) -> Value {
    let reason = said.and_then(|said| match said.stop {
        Stop::Length => Some("max_output_tokens"),
        Stop::Refusal => Some("content_filter"),
        Stop::Stop | Stop::ToolUse => None,
    });
    json!({
        "id": "resp_0ccfefab56fc1e6b0169b3197f938081919413a2656e175d4d",
        "object": "response",
        "created_at": 1_773_345_151,
        "status": status,
        "background": false,
        "completed_at": (status == "completed").then_some(1_773_345_156),
        "error": null,
        "frequency_penalty": 0.0,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "max_output_tokens": null,
        "max_tool_calls": null,
        "model": Protocol::Responses.model(),
        "output": output,
        "parallel_tool_calls": true,
        "presence_penalty": 0.0,
        "previous_response_id": null,
        "prompt_cache_key": null,
        "prompt_cache_retention": null,
        "reasoning": { "effort": "medium", "summary": "detailed" },
        "safety_identifier": null,
        "service_tier": if said.is_some() { "default" } else { "auto" },
        "store": false,
        "temperature": 1.0,
        "text": { "format": { "type": "text" }, "verbosity": "medium" },
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": said.map(|said| counted(said.usage)),
        "user": null,
        "metadata": {},
    })
}

fn counted(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.read(),
        "input_tokens_details": { "cached_tokens": usage.cache_read },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": usage.thinking },
        "total_tokens": usage.read() + usage.output,
    })
}

/// Events as they are written, and the items that are complete.
#[derive(Default)]
struct Writer {
    events: Vec<Event>,
    output: Vec<Value>,
}

impl Writer {
    fn put(&mut self, mark: Mark, mut data: Value) {
        data["sequence_number"] = json!(self.events.len());
        self.events.push(Event::typed(mark, &data));
    }

    fn added(&mut self, mark: Mark, index: usize, item: Value) {
        self.put(mark, json!({ "type": "response.output_item.added", "item": item, "output_index": index }));
    }

    fn done(&mut self, item: Value) {
        let index = self.output.len();
        self.put(Mark::BlockEnd, json!({ "type": "response.output_item.done", "item": item, "output_index": index }));
        self.output.push(item);
    }

    /// The proof at the end counts: the one at the beginning is of nothing.
    fn thinking(&mut self, text: &str, proof: Option<&str>, pieces: usize) {
        let index = self.output.len();
        let id = format!("rs_0ccfefab56fc1e6b0169b3197fec9481{index:04}");
        let early = proof.map(|_| "gAAAAABpsxl_begun");
        let item = |proof: Option<&str>, summary: Value| {
            let mut item = json!({ "id": id, "type": "reasoning", "summary": summary });
            item["encrypted_content"] = json!(proof);
            item
        };
        self.added(Mark::Other, index, item(early, json!([])));
        if text.is_empty() {
            return self.done(item(proof, json!([])));
        }
        let about = |kind: &str, mut more: Value| {
            more["type"] = json!(format!("response.reasoning_summary_{kind}"));
            more["item_id"] = json!(id);
            more["output_index"] = json!(index);
            more["summary_index"] = json!(0);
            more
        };
        let part = |text: &str| json!({ "part": { "type": "summary_text", "text": text } });
        self.put(Mark::Other, about("part.added", part("")));
        for piece in cut(text, pieces) {
            let delta = json!({ "delta": piece, "obfuscation": "JLhrY7VjCa" });
            self.put(Mark::Thinking, about("text.delta", delta));
        }
        self.put(Mark::Other, about("text.done", json!({ "text": text })));
        self.put(Mark::Other, about("part.done", part(text)));
        self.done(item(proof, json!([{ "type": "summary_text", "text": text }])));
    }

    fn text(&mut self, text: &str, pieces: usize, status: &str) {
        let index = self.output.len();
        let id = format!("msg_0ccfefab56fc1e6b0169b319859c5081{index:04}");
        let item = |status: &str, content: Value| {
            let mut item = json!({ "id": id, "type": "message", "role": "assistant", "content": content });
            item["status"] = json!(status);
            item
        };
        let part = |text: &str| json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text });
        let about = |kind: &str, mut more: Value| {
            more["type"] = json!(format!("response.{kind}"));
            more["content_index"] = json!(0);
            more["item_id"] = json!(id);
            more["output_index"] = json!(index);
            more
        };
        self.added(Mark::Other, index, item("in_progress", json!([])));
        self.put(Mark::Other, about("content_part.added", json!({ "part": part("") })));
        for piece in cut(text, pieces) {
            let delta = json!({ "delta": piece, "logprobs": [], "obfuscation": "d4vAop82iKJzKu" });
            self.put(Mark::Text, about("output_text.delta", delta));
        }
        self.put(Mark::Other, about("output_text.done", json!({ "logprobs": [], "text": text })));
        self.put(Mark::Other, about("content_part.done", json!({ "part": part(text) })));
        self.done(item(status, json!([part(text)])));
    }

    /// Calls that come together.
    fn calls(&mut self, group: &[Block], pieces: usize, status: &str) {
        let first = self.output.len();
        for (place, block) in group.iter().enumerate() {
            self.added(Mark::Call, first + place, call(block, first + place, "", "in_progress"));
        }
        let texts: Vec<String> = group.iter().map(arguments).collect();
        let content: Vec<Vec<String>> = texts.iter().map(|text| cut(text, pieces)).collect();
        for (place, piece) in turns(&content) {
            let more = json!({ "delta": piece, "obfuscation": "56wItrr5" });
            self.put(Mark::Arguments, about_call("delta", first + place, more));
        }
        for (place, (block, text)) in group.iter().zip(&texts).enumerate() {
            self.put(Mark::BlockEnd, about_call("done", first + place, json!({ "arguments": text })));
            self.done(call(block, first + place, text, status));
        }
    }
}

fn about_call(kind: &str, index: usize, mut more: Value) -> Value {
    more["type"] = json!(format!("response.function_call_arguments.{kind}"));
    more["item_id"] = json!(call_item(index));
    more["output_index"] = json!(index);
    more
}

fn call_item(index: usize) -> String {
    format!("fc_0ccfefab56fc1e6b0169b31984a62081{index:04}")
}

fn arguments(block: &Block) -> String {
    match block {
        Block::Call { arguments, .. } => arguments.text(),
        _ => String::new(),
    }
}

fn call(block: &Block, index: usize, arguments: &str, status: &str) -> Value {
    let Block::Call { id, name, .. } = block else { return Value::Null };
    let mut item = json!({
        "id": call_item(index),
        "type": "function_call",
        "status": status,
        "arguments": arguments,
        "name": name,
    });
    if let Some(id) = id {
        item["call_id"] = json!(id);
    }
    item
}
