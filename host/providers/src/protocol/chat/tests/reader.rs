//! Responses, event by event.

use seam_loop::{AssistantBlock, AssistantMessage, ErrorKind, StopReason, StreamEvent, Usage};
use serde_json::{Value, json};

use super::*;
use crate::fault::Fault;

/// What comes of these events, and of the end of the response.
pub(super) fn read(events: &[Value]) -> Result<AssistantMessage, Fault> {
    read_all(events).map(|(_, message)| message)
}

/// What comes of these events, with all that is told on the way.
fn read_all(events: &[Value]) -> Result<(Vec<StreamEvent>, AssistantMessage), Fault> {
    let (mut reader, mut answer) = (Chat.reader(), answer());
    for event in events {
        reader.take(None, event, &mut answer)?;
    }
    reader.end(&mut answer)?;
    answer.finish(|_| 0.0)?;
    let told: Vec<StreamEvent> = std::iter::from_fn(|| answer.next_event()).collect();
    let Some(StreamEvent::End(message)) = told.last().cloned() else { panic!("it does not end") };
    Ok((told, *message))
}

pub(super) fn delta(delta: Value) -> Value {
    json!({ "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [
        { "index": 0, "delta": delta, "logprobs": null, "finish_reason": null },
    ], "usage": null })
}

pub(super) fn finish(reason: &str) -> Value {
    json!({ "id": "c", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn text(text: &str) -> AssistantBlock {
    AssistantBlock::Text { text: text.to_owned() }
}

fn thinking(thinking: &str) -> AssistantBlock {
    AssistantBlock::Thinking { thinking: thinking.to_owned(), signature: None, redacted: false }
}

/// A whole answer: reasoning, text, a call, usage.
fn whole() -> Vec<Value> {
    let call = |call: Value| delta(json!({ "tool_calls": [call] }));
    vec![
        delta(json!({ "role": "assistant", "content": "", "refusal": null })),
        delta(json!({ "content": null, "reasoning_content": "They want" })),
        delta(json!({ "content": null, "reasoning_content": " a look." })),
        delta(json!({ "content": "I " })),
        delta(json!({ "content": "look." })),
        call(
            json!({ "index": 0, "id": "call_1", "type": "function", "function": { "name": "look", "arguments": "" } }),
        ),
        call(json!({ "index": 0, "function": { "arguments": "{\"path\":" } })),
        call(json!({ "index": 0, "function": { "arguments": "\"a\"}" } })),
        finish("tool_calls"),
        json!({ "id": "c", "choices": [], "usage": {
            "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": { "cached_tokens": 64 },
            "completion_tokens_details": { "reasoning_tokens": 9 },
        } }),
    ]
}

#[test]
fn a_whole_answer_is_read() {
    let (told, message) = read_all(&whole()).unwrap();
    let AssistantBlock::ToolCall(call) = message.content.last().unwrap() else { panic!("no call") };
    assert_eq!((&*call.id, &*call.name, &call.arguments), ("call_1", "look", &json!({ "path": "a" })));
    assert_eq!(message.content[..2], [thinking("They want a look."), text("I look.")]);
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    let usage = Usage { input: 36, output: 20, cache_read: 64, ..Usage::default() };
    assert_eq!(message.usage, usage);
    let kinds: String = told.iter().map(kind).collect();
    assert_eq!(kinds, "[(dd)(dd)(dd)]");
}

fn kind(event: &StreamEvent) -> char {
    match event {
        StreamEvent::Start => '[',
        StreamEvent::BlockStart { .. } => '(',
        StreamEvent::BlockDelta { .. } => 'd',
        StreamEvent::BlockEnd { .. } => ')',
        StreamEvent::End(_) => ']',
    }
}

/// Bug log 143.
#[test]
fn what_ends_before_its_end_is_an_error() {
    let events = whole();
    for end in 0..8 {
        assert_eq!(read(&events[..end]).unwrap_err(), Fault::truncated(), "after {end} events");
    }
    assert!(read(&events[..9]).is_ok(), "not each service has the usage behind");
}

/// Bug log 142.
#[test]
fn an_answer_that_is_cut_off_in_a_call_says_so() {
    let events = [whole()[..7].to_vec(), vec![finish("length"), finish("stop")]].concat();
    let message = read(&events).unwrap();
    assert_eq!(message.stop_reason, StopReason::Length);
    let AssistantBlock::ToolCall(call) = message.content.last().unwrap() else { panic!("no call") };
    assert_eq!(call.arguments, json!("{\"path\":"));
    assert!(call.arguments_error.is_some());
}

/// Bug log 151.
#[test]
fn an_answer_may_be_empty() {
    let message = read(&[delta(json!({ "role": "assistant", "content": "" })), finish("stop")]).unwrap();
    assert_eq!((message.content, message.stop_reason), (vec![], StopReason::Stop));
}

#[test]
fn reasons_for_an_end_are_understood() {
    for (reason, expected) in [
        ("stop", StopReason::Stop),
        ("eos_token", StopReason::Stop),
        ("tool_calls", StopReason::Stop),
        ("model_length", StopReason::Length),
    ] {
        let message = read(&[delta(json!({ "content": "A" })), finish(""), finish(reason)]).unwrap();
        assert_eq!(message.stop_reason, expected, "{reason}");
    }
    for reason in ["error", "insufficient_system_resource", "abort"] {
        let fault = read(&[delta(json!({ "content": "A" })), finish(reason)]).unwrap_err();
        assert!(matches!(fault.kind, ErrorKind::Transient { .. }) && fault.text.contains(reason), "{fault:?}");
    }
}

#[test]
fn a_refusal_is_an_error_in_the_words_of_the_model() {
    let events = [delta(json!({ "refusal": "I will " })), delta(json!({ "refusal": "not." })), finish("stop")];
    assert_eq!(read(&events).unwrap_err(), Fault::refusal("the model refuses to answer: I will not."));
    let fault = read(&[delta(json!({ "content": "Well" })), finish("content_filter")]).unwrap_err();
    assert_eq!(fault.kind, ErrorKind::Other);
    assert!(fault.text.contains("the service's filter"), "{fault:?}");
}

/// Bug log 145.
#[test]
fn an_error_in_the_stream_is_one() {
    for event in [
        json!({ "object": "error", "message": "The engine is overloaded.", "type": "overloaded_error", "code": 503 }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "error",
            "error": { "code": 502, "message": "Overloaded upstream" } }] }),
    ] {
        let fault = read(&[delta(json!({ "content": "A" })), event, finish("stop")]).unwrap_err();
        assert!(matches!(fault.kind, ErrorKind::Transient { .. }), "{fault:?}");
        assert!(fault.text.to_lowercase().contains("overloaded"), "{fault:?}");
    }
}

#[test]
fn reasoning_comes_under_many_names() {
    let thought = |piece: &str| json!([{ "type": "text", "text": piece }]);
    let cases = [
        vec![json!({ "reasoning_content": "A b" }), json!({ "reasoning_content": "" })],
        vec![json!({ "reasoning": "A " }), json!({ "reasoning": "b", "reasoning_content": null })],
        vec![json!({ "reasoning": "A b", "reasoning_content": "A b" })],
        vec![json!({ "reasoning_details": [{ "type": "reasoning.summary", "summary": "A b" }] })],
        vec![
            json!({ "content": [{ "type": "thinking", "thinking": thought("A ") }] }),
            json!({ "content": [{ "type": "thinking", "thinking": thought("b"), "closed": true }, { "type": "new" }] }),
        ],
    ];
    for case in cases {
        let said = [json!({ "content": [{ "type": "text", "text": "C" }] })];
        let events: Vec<Value> = case.iter().chain(&said).cloned().map(delta).chain([finish("stop")]).collect();
        assert_eq!(read(&events).unwrap().content, [thinking("A b"), text("C")], "{case:?}");
    }
}

#[test]
fn the_proof_of_reasoning_is_kept_as_it_came() {
    let piece =
        |piece: Value| delta(json!({ "content": "", "reasoning": piece["text"], "reasoning_details": [piece] }));
    let events = [
        piece(json!({ "type": "reasoning.text", "text": "A ", "format": "f", "index": 0 })),
        piece(json!({ "type": "reasoning.text", "text": "b", "format": "f", "index": 0 })),
        piece(json!({ "type": "reasoning.text", "signature": "sig", "format": "f", "index": 0 })),
        piece(json!({ "type": "reasoning.encrypted", "data": "xyz", "id": "call_1", "index": 1 })),
        piece(json!({ "type": "reasoning.encrypted", "data": "zyx", "id": "call_2", "index": 1 })),
        delta(json!({ "content": "C" })),
        finish("stop"),
    ];
    let content = read(&events).unwrap().content;
    assert_eq!(content[..2], [thinking("A b"), text("C")]);
    let AssistantBlock::Thinking { thinking, signature: Some(signature), redacted: true } = &content[2] else {
        panic!("no proof: {content:?}")
    };
    let expected = json!([
        { "type": "reasoning.text", "text": "A b", "signature": "sig", "format": "f", "index": 0 },
        { "type": "reasoning.encrypted", "data": "xyz", "id": "call_1", "index": 1 },
        { "type": "reasoning.encrypted", "data": "zyx", "id": "call_2", "index": 1 },
    ]);
    assert_eq!((&**thinking, serde_json::from_str::<Value>(signature).unwrap()), ("", expected));
}

#[test]
fn usage_may_be_in_any_place() {
    let counts = json!({ "prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13 });
    let cached = json!({ "prompt_tokens": 10, "completion_tokens": 3, "prompt_cache_hit_tokens": 4 });
    let written = json!({ "prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 13,
        "prompt_tokens_details": { "cached_tokens": 2, "cache_write_tokens": 5 } });
    let usage = |input, cache_read, cache_write| Usage { input, output: 3, cache_read, cache_write, cost: 0.0 };
    for (event, expected) in [
        (json!({ "choices": null, "usage": counts }), usage(10, 0, 0)),
        (json!({ "choices": [{ "delta": {}, "usage": counts }] }), usage(10, 0, 0)),
        (json!({ "x_groq": { "usage": counts } }), usage(10, 0, 0)),
        (json!({ "choices": [], "usage": cached }), usage(6, 4, 0)),
        (json!({ "choices": [], "usage": written }), usage(3, 2, 5)),
        (
            json!({ "usage": { "prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": null } }),
            usage(10, 0, 0),
        ),
    ] {
        let old = json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1 } });
        let before = [old.clone(), event.clone(), delta(json!({ "content": "A" })), finish("stop")];
        assert_eq!(read(&before).unwrap().usage, expected, "{event}");
        assert_eq!(read(&[old, finish("stop"), event]).unwrap().usage, expected);
    }
}

#[test]
fn events_that_nobody_knows_are_passed_over() {
    let unknown = [
        json!({ "type": "ping" }),
        json!({ "id": "c", "choices": [], "prompt_filter_results": [] }),
        json!({ "choices": [{ "index": 1, "delta": { "content": "of another choice" } }] }),
        json!(7),
        json!([]),
    ];
    let events: Vec<Value> = whole().into_iter().flat_map(|event| [vec![event], unknown.to_vec()].concat()).collect();
    assert_eq!(read(&events).unwrap().content, read(&whole()).unwrap().content);
}

#[test]
fn what_is_of_the_wrong_type_is_an_error() {
    for event in [
        json!({ "choices": "none" }),
        json!({ "choices": [{ "delta": 1 }] }),
        json!({ "choices": [{ "finish_reason": 1 }] }),
        delta(json!({ "content": 1 })),
        delta(json!({ "tool_calls": "look" })),
    ] {
        let fault = read(&[event.clone(), finish("stop")]).unwrap_err();
        assert!(matches!(fault.kind, ErrorKind::Transient { .. }), "{event} {fault:?}");
    }
}

#[test]
fn an_answer_in_one_message_is_read() {
    let message = json!({ "role": "assistant", "content": "All of it" });
    let event = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "COMPLETE" }] });
    let answer = read(&[event]).unwrap();
    assert_eq!(answer.content, [AssistantBlock::Text { text: "All of it".to_owned() }]);
    assert_eq!(answer.stop_reason, StopReason::Stop);
}

/// What is in it at any depth counts.
#[test]
fn proofs_have_bounds() {
    let detail = json!({ "type": "reasoning.encrypted", "data": "x", "format": ["y".repeat(4 << 20)] });
    let events: Vec<Value> = (0..5).map(|_| delta(json!({ "reasoning_details": [detail] }))).collect();
    assert!(read(&events).is_err());
}
