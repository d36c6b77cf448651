//! What is read of Gemini.

use seam_loop::{AssistantBlock, AssistantMessage, ErrorKind, Model, StopReason, StreamEvent, Usage};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::fault::{Class, Fault};
use crate::protocol::gemini::Gemini;
use crate::protocol::{Flow, Wire};

/// All that is told of a response with these events.
fn told(events: &[Value]) -> Result<Vec<StreamEvent>, Fault> {
    let mut answer = Answer::new(Model { provider: "google".to_owned(), id: "gemini-4-neon".to_owned() });
    let mut reader = Gemini.reader();
    for event in events {
        assert_eq!(reader.take(None, event, &mut answer)?, Flow::Goes, "what comes behind it may be a part of it");
    }
    reader.end(&mut answer)?;
    answer.finish(|_| 0.0)?;
    Ok(std::iter::from_fn(|| answer.next_event()).collect())
}

fn read(events: &[Value]) -> Result<AssistantMessage, Fault> {
    match told(events)?.pop() {
        Some(StreamEvent::End(message)) => Ok(*message),
        other => panic!("not the end: {other:?}"),
    }
}

fn fault(event: Value) -> Fault {
    read(&[says(&[json!({ "text": "Half" })]), event]).unwrap_err()
}

fn says(parts: &[Value]) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }] })
}

fn ends(reason: &str) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": "" }] }, "finishReason": reason }] })
}

fn calls(call: Value) -> Value {
    says(&[json!({ "functionCall": call })])
}

fn text(text: &str) -> AssistantBlock {
    AssistantBlock::Text { text: text.to_owned() }
}

fn thinking(text: &str, signature: Option<&str>) -> AssistantBlock {
    let signature = signature.map(str::to_owned);
    AssistantBlock::Thinking { thinking: text.to_owned(), signature, redacted: false }
}

/// Each call: its id, name, arguments and signature.
fn called(message: &AssistantMessage) -> Vec<Value> {
    let call = |call: &seam_loop::message::RequestedCall| {
        assert_eq!(call.arguments_error, None);
        json!([call.id, call.name, call.arguments, call.signature])
    };
    message.tool_calls().map(call).collect()
}

/// As the service sends it.
fn whole() -> Vec<Value> {
    let around = |candidate: Value, usage: Value| {
        json!({
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "gemini-4-neon",
            "responseId": "1dH5aLdlu",
        })
    };
    let says = |part: Value| {
        let usage = json!({ "promptTokenCount": 120, "totalTokenCount": 160, "thoughtsTokenCount": 40 });
        around(json!({ "content": { "parts": [part], "role": "model" }, "index": 0 }), usage)
    };
    let usage = json!({
        "promptTokenCount": 120,
        "candidatesTokenCount": 20,
        "totalTokenCount": 180,
        "cachedContentTokenCount": 100,
        "thoughtsTokenCount": 40,
        "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": 120 }],
    });
    vec![
        says(json!({ "text": "**Looking**\n", "thought": true })),
        says(json!({ "text": "I look at both.", "thought": true })),
        says(json!({ "text": "I look " })),
        says(json!({ "text": "日本語 😀" })),
        says(json!({
            "functionCall": { "id": "c1", "name": "read", "args": { "path": "a" } },
            "thoughtSignature": "S1",
        })),
        says(json!({ "functionCall": { "id": "c2", "name": "look", "args": {} } })),
        around(
            json!({ "content": { "parts": [{ "text": "" }], "role": "model" }, "finishReason": "STOP", "index": 0 }),
            usage,
        ),
    ]
}

#[test]
fn a_whole_response_becomes_a_whole_answer() {
    let message = read(&whole()).unwrap();
    assert_eq!(message.content[..2], [thinking("**Looking**\nI look at both.", None), text("I look 日本語 😀")]);
    assert_eq!(called(&message), [json!(["c1", "read", { "path": "a" }, "S1"]), json!(["c2", "look", {}, null])]);
    assert_eq!(message.content.len(), 4);
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert_eq!(message.usage, Usage { input: 20, output: 60, cache_read: 100, ..Usage::default() });
}

/// Bug log 143.
#[test]
fn a_response_that_ends_before_its_last_event_is_an_error() {
    let events = whole();
    for until in 0..events.len() {
        assert_eq!(read(&events[..until]), Err(Fault::truncated()), "after {until} events");
    }
}

/// Bug log 149.
#[test]
fn no_call_is_complete_before_the_answer_is() {
    let events = told(&whole()).unwrap();
    let is_call =
        |event: &StreamEvent| matches!(event, StreamEvent::BlockEnd { block: AssistantBlock::ToolCall(_), .. });
    let [.., first, second, StreamEvent::End(_)] = &*events else { panic!("{events:?}") };
    assert!(is_call(first) && is_call(second));
    assert_eq!(events.iter().filter(|event| is_call(event)).count(), 2);
}

/// Bug log 107 and 148.
#[test]
fn each_call_is_another_one_whatever_its_id() {
    let call = |id: &str, path: &str| json!({ "id": id, "name": "read", "args": { "path": path } });
    let without = |path: &str| json!({ "name": "read", "args": { "path": path } });
    let in_one = says(&[json!({ "functionCall": call("same", "c") }), json!({ "functionCall": without("d") })]);
    let events = [calls(call("same", "a")), calls(without("b")), in_one, calls(call("", "e")), ends("STOP")];
    let of = |id: &str, path: &str| json!([id, "read", { "path": path }, null]);
    assert_eq!(
        called(&read(&events).unwrap()),
        [of("same", "a"), of("", "b"), of("same", "c"), of("", "d"), of("", "e")]
    );
}

/// Bug log 106.
#[test]
fn a_call_without_a_name_or_arguments_is_one() {
    let events = [
        calls(json!({ "name": "", "id": "", "args": null })),
        calls(json!({})),
        calls(json!({ "name": null, "args": "text" })),
        ends("STOP"),
    ];
    let nameless = json!(["", "", {}, null]);
    assert_eq!(called(&read(&events).unwrap()), [nameless.clone(), nameless, json!(["", "", "text", null])]);
}

#[test]
fn a_call_in_pieces_is_an_error_and_never_a_call_without_arguments() {
    for call in [json!({ "name": "write", "willContinue": true }), json!({ "name": "write", "partialArgs": [] })] {
        assert_eq!(fault(calls(call)).class, Class::Stream);
    }
}

#[test]
fn a_signature_stays_where_it_came() {
    let events = [
        says(&[
            json!({ "text": "One", "thought": true }),
            json!({ "text": " two", "thought": true, "thoughtSignature": "A" }),
        ]),
        says(&[json!({ "text": "three", "thought": true })]),
        says(&[json!({ "text": "", "thought": true, "thoughtSignature": "B" })]),
        says(&[json!({ "text": "four", "thoughtSignature": "C" }), json!({ "text": " five" })]),
        calls(json!({ "name": "look" })),
        says(&[json!({ "text": "six" }), json!({ "text": "", "thoughtSignature": "D" })]),
        ends("STOP"),
    ];
    let content = read(&events).unwrap().content;
    let [before @ .., AssistantBlock::ToolCall(_), six, last] = &*content else { panic!("{content:?}") };
    assert_eq!(
        before,
        [
            thinking("One two", Some("A")),
            thinking("three", Some("B")),
            text("four"),
            thinking("", Some("C")),
            text(" five"),
        ]
    );
    assert_eq!((six, last), (&text("six"), &thinking("", Some("D"))));
}

#[test]
fn tokens_are_counted_wherever_they_are_told() {
    let usage = |usage: Value| json!({ "usageMetadata": usage });
    let full = usage(json!({ "promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 2 }));
    let expected = Usage { input: 6, output: 2, cache_read: 4, ..Usage::default() };
    let (hello, end) = (says(&[json!({ "text": "Hello." })]), ends("STOP"));
    for events in [
        [full.clone(), hello.clone(), end.clone()],
        [hello.clone(), full.clone(), end.clone()],
        [hello.clone(), end.clone(), full.clone()],
    ] {
        assert_eq!(read(&events).unwrap().usage, expected);
    }
    // The last word counts, but what it leaves out stays.
    let later = usage(json!({ "trafficType": "ON_DEMAND", "candidatesTokenCount": 5, "promptTokenCount": null }));
    let events = [full, later, hello.clone(), end.clone()];
    assert_eq!(read(&events).unwrap().usage, Usage { output: 5, ..expected });
    let strange =
        json!({ "promptTokenCount": 1, "cachedContentTokenCount": 9, "candidatesTokenCount": 5_000_000_000_u64 });
    let expected = Usage { cache_read: 9, output: u32::MAX, ..Usage::default() };
    assert_eq!(read(&[hello.clone(), usage(strange), end.clone()]).unwrap().usage, expected);
    assert_eq!(read(&[hello, end]).unwrap().usage, Usage::default());
}

#[test]
fn what_nobody_knows_is_ignored() {
    let events = [
        json!({ "type": "brand.new", "delta": { "text": "no" } }),
        json!([]),
        json!(7),
        json!({ "candidates": [], "promptFeedback": { "safetyRatings": [] } }),
        json!({ "candidates": [{ "index": 0 }], "usageMetadata": null }),
        json!({ "candidates": [{ "content": { "role": "model" }, "finishReason": "FINISH_REASON_UNSPECIFIED" }] }),
        says(&[json!({ "executableCode": { "code": "1" } }), json!({ "text": "Hello.", "brandNew": [1] })]),
        json!({ "promptFeedback": { "blockReason": "BLOCK_REASON_UNSPECIFIED" } }),
        json!({ "candidates": [{ "finishReason": "STOP" }] }),
    ];
    let message = read(&events).unwrap();
    assert_eq!((message.content, message.stop_reason), (vec![text("Hello.")], StopReason::Stop));
}

/// A proxy may say of every event that it is the last.
#[test]
fn what_comes_behind_a_reason_to_stop_is_a_part_of_the_answer() {
    let events = [ends("STOP"), says(&[json!({ "text": "Hello." })]), ends("STOP")];
    assert_eq!(read(&events).unwrap().content, [text("Hello.")]);
}

/// Bug log 151.
#[test]
fn an_empty_answer_is_one() {
    let message = read(&[ends("STOP")]).unwrap();
    assert_eq!((message.content, message.stop_reason), (vec![], StopReason::Stop));
}

/// Bug log 142.
#[test]
fn an_answer_that_got_too_long_says_so_even_with_calls() {
    let events = [says(&[json!({ "text": "I write it." })]), calls(json!({ "name": "write" })), ends("MAX_TOKENS")];
    let message = read(&events).unwrap();
    assert_eq!((message.stop_reason, message.content.len()), (StopReason::Length, 2));
}

#[test]
fn a_refusal_is_told_and_not_asked_again() {
    let reason = json!({ "candidates": [{ "finishReason": "SAFETY", "finishMessage": "Blocked." }] });
    assert_eq!(fault(reason), Fault::refusal("the model refuses to answer (SAFETY): Blocked."));
    for reason in ["RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST", "LANGUAGE", "MISSING_THOUGHT_SIGNATURE"] {
        assert_eq!(fault(ends(reason)).kind, ErrorKind::Other, "{reason}");
    }
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" }, "usageMetadata": {} });
    let expected = Fault::refusal("the service refuses what it is told (PROHIBITED_CONTENT)");
    assert_eq!(read(&[blocked]), Err(expected));
}

#[test]
fn an_answer_that_went_wrong_can_be_asked_for_again() {
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE", "OTHER", "BRAND_NEW"] {
        let fault = fault(ends(reason));
        assert_eq!(fault.kind, ErrorKind::Transient { retry_after: None });
        assert!(fault.text.contains(reason), "{}", fault.text);
    }
}

#[test]
fn what_cannot_be_is_an_error() {
    for part in [
        json!({ "text": 7 }),
        json!({ "text": "a", "thoughtSignature": {} }),
        json!({ "functionCall": { "name": ["a"] } }),
        json!({ "functionCall": { "id": 1 } }),
    ] {
        assert_eq!(fault(says(std::slice::from_ref(&part))).class, Class::Stream, "{part}");
    }
    assert_eq!(fault(json!({ "candidates": [{ "content": { "parts": "text" } }] })).class, Class::Stream);
}
