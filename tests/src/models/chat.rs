//! An answer as OpenAI Chat Completions streams it, and as the services that follow it do: chunks without a name, then
//! `[DONE]`.

use serde_json::{Map, Value, json};

use super::sse::{Event, Mark};
use super::{Block, Protocol, Said, Stop, Usage, cut, turns};

/// In which fields thinking comes. OpenAI itself sends none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoughts {
    /// `reasoning_content`: DeepSeek, llama.cpp, vLLM, LM Studio.
    ReasoningContent,
    /// `reasoning`: Groq, Cerebras, newer vLLM.
    Reasoning,
    /// `reasoning` and `reasoning_details`, which has the proof too: OpenRouter.
    ReasoningDetails,
    /// `content`, which is then a list of parts: Mistral.
    Content,
}

/// The events of an answer, with thinking in `reasoning_content`.
pub fn events(said: &Said) -> Vec<Event> {
    events_with(said, Thoughts::ReasoningContent)
}

/// The events of an answer.
pub fn events_with(said: &Said, thoughts: Thoughts) -> Vec<Event> {
    let mut events = vec![chunk(Mark::Other, json!({ "role": "assistant", "content": "", "refusal": null }), None)];
    let mut calls = 0;
    for group in said.groups() {
        match &group[0] {
            Block::Thinking { text, signature } => {
                let pieces = cut(text, said.pieces);
                events.extend(pieces.iter().map(|piece| thought(piece, thoughts)));
                events.extend(signature.iter().filter_map(|signature| proof(signature, thoughts)));
            }
            Block::Redacted(_) => {}
            Block::Text(text) => {
                let piece = |piece: &String| chunk(Mark::Text, json!({ "content": piece }), None);
                events.extend(cut(text, said.pieces).iter().map(piece));
            }
            Block::Call { .. } => {
                events.extend(called(group, calls, said.pieces));
                calls += group.len();
            }
        }
    }
    events.push(chunk(Mark::End, json!({}), Some(reason(said.stop))));
    events.push(Event::json(Mark::Usage, &last(said.usage)));
    events.push(Event::data(Mark::Done, "[DONE]"));
    events
}

/// The events of calls that come together.
fn called(group: &[Block], first: usize, pieces: usize) -> Vec<Event> {
    let mut events = Vec::new();
    let mut content = Vec::new();
    for (place, block) in group.iter().enumerate() {
        let Block::Call { id, name, arguments } = block else { continue };
        let mut call = Map::from_iter([("index".to_owned(), json!(first + place))]);
        call.extend(id.iter().map(|id| ("id".to_owned(), json!(id))));
        call.insert("type".to_owned(), json!("function"));
        call.insert("function".to_owned(), json!({ "name": name, "arguments": "" }));
        events.push(chunk(Mark::Call, json!({ "tool_calls": [call] }), None));
        content.push(cut(&arguments.text(), pieces));
    }
    let piece = |(place, piece): (usize, &str)| {
        let call = json!({ "index": first + place, "function": { "arguments": piece } });
        chunk(Mark::Arguments, json!({ "tool_calls": [call] }), None)
    };
    events.extend(turns(&content).into_iter().map(piece));
    events
}

fn thought(piece: &str, thoughts: Thoughts) -> Event {
    let delta = match thoughts {
        Thoughts::ReasoningContent => json!({ "content": null, "reasoning_content": piece }),
        Thoughts::Reasoning => json!({ "reasoning": piece }),
        Thoughts::Content => {
            let thinking = json!([{ "type": "text", "text": piece }]);
            json!({ "content": [{ "type": "thinking", "thinking": thinking }] })
        }
        Thoughts::ReasoningDetails => {
            let details = json!({ "type": "reasoning.text", "text": piece, "format": "unknown", "index": 0 });
            json!({ "role": "assistant", "content": "", "reasoning": piece, "reasoning_details": [details] })
        }
    };
    chunk(Mark::Thinking, delta, None)
}

fn proof(signature: &str, thoughts: Thoughts) -> Option<Event> {
    let details = json!({ "type": "reasoning.text", "signature": signature, "format": "unknown", "index": 0 });
    let delta = json!({ "role": "assistant", "content": "", "reasoning": null, "reasoning_details": [details] });
    (thoughts == Thoughts::ReasoningDetails).then(|| chunk(Mark::Thinking, delta, None))
}

/// How OpenRouter tells that the model's provider failed in the middle: an error and a choice that ends with it.
pub fn broken_off(code: u16, message: &str) -> Event {
    let choice = json!({ "index": 0, "delta": { "role": "assistant", "content": "" }, "finish_reason": "error" });
    let mut data = around(json!([choice]), Value::Null);
    data["error"] = json!({ "code": code, "message": message });
    Event::json(Mark::Other, &data)
}

fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Stop => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::Length => "length",
        Stop::Refusal => "content_filter",
    }
}

fn chunk(mark: Mark, delta: Value, reason: Option<&str>) -> Event {
    let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
    Event::json(mark, &around(json!([choice]), Value::Null))
}

fn last(usage: Usage) -> Value {
    let usage = json!({
        "prompt_tokens": usage.read(),
        "completion_tokens": usage.output,
        "total_tokens": usage.read() + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": usage.thinking,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    });
    around(json!([]), usage)
}

fn around(choices: Value, usage: Value) -> Value {
    json!({
        "id": "chatcmpl-DIgPlQPwJD3L58NCrIk3tvAcboKkQ",
        "object": "chat.completion.chunk",
        "created": 1_773_345_317,
        "model": Protocol::Chat.model(),
        "service_tier": "default",
        "system_fingerprint": "fp_45cf54deae",
        "choices": choices,
        "usage": usage,
        "obfuscation": "VRnxcNa",
    })
}
