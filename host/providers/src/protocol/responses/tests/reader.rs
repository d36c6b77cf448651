//! What is read from a response: text, reasoning, ends and failures.

use seam_loop::provider::BlockKind;
use seam_loop::{AssistantBlock, ErrorKind, StopReason, StreamEvent, Usage};
use serde_json::{Value, json};

use super::{added, call, completed, cut_off, done, fault, piece, read, told, whole};

/// An event about a part of the item at a place in the output.
fn part(kind: &str, index: u64, mut more: Value) -> Value {
    more["type"] = json!(format!("response.{kind}"));
    more["item_id"] = json!(if index == 0 { "rs_1" } else { "msg_1" });
    more["output_index"] = json!(index);
    more
}

fn text_piece(delta: &str) -> Value {
    part("output_text.delta", 1, json!({ "content_index": 0, "delta": delta }))
}

fn thought(summary: u64, delta: &str) -> Value {
    part("reasoning_summary_text.delta", 0, json!({ "summary_index": summary, "delta": delta }))
}

fn message(content: Value) -> Value {
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": content })
}

fn reasoning(summary: Value, proof: &str) -> Value {
    json!({ "id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": proof, "status": null })
}

/// A response with everything in it, as the service sends it.
fn full() -> Vec<Value> {
    let summary = json!([{ "type": "summary_text", "text": "First." }, { "type": "summary_text", "text": "Then." }]);
    let usage = json!({
        "input_tokens": 100,
        "input_tokens_details": { "cached_tokens": 60, "cache_write_tokens": 30 },
        "output_tokens": 7,
        "output_tokens_details": { "reasoning_tokens": 3 },
        "total_tokens": 107,
    });
    vec![
        json!({ "type": "response.created", "response": { "status": "in_progress", "usage": null, "error": null } }),
        json!({ "type": "response.in_progress", "response": { "status": "in_progress" } }),
        added(0, reasoning(json!([]), "begun")),
        part("reasoning_summary_part.added", 0, json!({ "summary_index": 0 })),
        thought(0, "Fir"),
        thought(0, "st."),
        part("reasoning_summary_text.done", 0, json!({ "summary_index": 0, "text": "First." })),
        thought(1, "Then."),
        done(0, reasoning(summary, "proof")),
        added(1, message(json!([]))),
        part("content_part.added", 1, json!({ "content_index": 0 })),
        text_piece("Hel"),
        text_piece("lo."),
        part("output_text.done", 1, json!({ "content_index": 0, "text": "Hello." })),
        part("content_part.done", 1, json!({ "content_index": 0 })),
        done(1, message(json!([{ "type": "output_text", "text": "Hello.", "annotations": [] }]))),
        added(2, call("fc_1", "call_1", "")),
        piece(2, "fc_1", r#"{"a""#),
        piece(2, "fc_1", ":1}"),
        whole(2, "fc_1", r#"{"a":1}"#),
        done(2, call("fc_1", "call_1", r#"{"a":1}"#)),
        json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage, "error": null } }),
    ]
}

/// Text, proof and whether there is no more to it, of a block of reasoning.
fn thinking(block: &AssistantBlock) -> (&str, Option<Value>, bool) {
    let AssistantBlock::Thinking { thinking, signature, redacted } = block else { panic!("no reasoning: {block:?}") };
    (thinking, signature.as_ref().map(|proof| serde_json::from_str(proof).unwrap()), *redacted)
}

#[test]
fn a_whole_response_is_told_as_it_comes() {
    let mut events = told(&full()).unwrap();
    let Some(StreamEvent::End(message)) = events.pop() else { panic!("no end") };
    let start = |index, kind| StreamEvent::BlockStart { index, kind };
    let delta = |index, delta: &str| StreamEvent::BlockDelta { index, delta: delta.to_owned() };
    let end = |index: usize| StreamEvent::BlockEnd { index, block: message.content[index].clone() };
    let (id, name) = ("call_1".to_owned(), "write".to_owned());
    let expected = [
        StreamEvent::Start,
        start(0, BlockKind::Thinking),
        delta(0, "Fir"),
        delta(0, "st."),
        delta(0, "\n\n"),
        delta(0, "Then."),
        end(0),
        start(1, BlockKind::Text),
        delta(1, "Hel"),
        delta(1, "lo."),
        end(1),
        start(2, BlockKind::ToolCall { id, name }),
        delta(2, r#"{"a""#),
        delta(2, ":1}"),
        end(2),
    ];
    assert_eq!(events, expected);
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert_eq!(message.usage, Usage { input: 10, output: 7, cache_read: 60, cache_write: 30, cost: 0.0 });
    let summary = json!([{ "type": "summary_text", "text": "First." }, { "type": "summary_text", "text": "Then." }]);
    let proof = json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "proof" });
    assert_eq!(thinking(&message.content[0]), ("First.\n\nThen.", Some(proof), false));
    assert_eq!(message.content[1], AssistantBlock::Text { text: "Hello.".to_owned() });
    let AssistantBlock::ToolCall(call) = &message.content[2] else { panic!("no call") };
    assert_eq!((&*call.id, &call.arguments), ("call_1", &json!({ "a": 1 })));
}

/// Bug log 143.
#[test]
fn a_response_that_ends_early_is_an_error_wherever_that_is() {
    let full = full();
    for end in 0..full.len() {
        let fault = read(&full[..end]).unwrap_err();
        assert_eq!(fault.kind, ErrorKind::Transient { retry_after: None }, "{end}");
    }
}

#[test]
fn what_did_not_come_in_pieces_is_read_at_the_end() {
    let whole: Vec<Value> =
        full().into_iter().filter(|event| !event["type"].as_str().unwrap().ends_with("delta")).collect();
    let only_done: Vec<Value> =
        full().into_iter().filter(|event| event["type"] == "response.output_item.done").chain([completed()]).collect();
    let content = read(&full()).unwrap().content;
    assert_eq!(read(&whole).unwrap().content, content);
    assert_eq!(read(&only_done).unwrap().content, content);
}

/// Bug log 147.
#[test]
fn what_nobody_knows_is_passed_over() {
    let unknown = [
        json!({ "type": "brand.new", "output_index": 99, "delta": { "text": "no" } }),
        json!({ "no": "type" }),
        json!([]),
        json!(7),
        added(9, json!({ "type": "web_search_call", "id": "ws_1" })),
        done(9, json!({ "type": "web_search_call", "id": "ws_1" })),
    ];
    let mixed: Vec<Value> = full().into_iter().flat_map(|event| unknown.iter().cloned().chain([event])).collect();
    assert_eq!(told(&mixed).unwrap().len(), told(&full()).unwrap().len());
    assert_eq!(read(&mixed).unwrap().content, read(&full()).unwrap().content);
}

#[test]
fn reasoning_of_which_nothing_is_shown_keeps_its_proof() {
    let hidden = done(0, reasoning(json!([]), "proof"));
    let message = read(&[added(0, reasoning(json!([]), "begun")), hidden, completed()]).unwrap();
    let proof = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "proof" });
    assert_eq!(message.content.iter().map(thinking).collect::<Vec<_>>(), [("", Some(proof), true)]);
    // Without a proof there is nothing to keep.
    assert_eq!(read(&[done(0, reasoning(json!([]), "")), completed()]).unwrap().content, []);
}

#[test]
fn reasoning_in_plain_is_read_too() {
    let piece = part("reasoning_text.delta", 0, json!({ "content_index": 0, "delta": "Hm." }));
    let content = json!([{ "type": "reasoning_text", "text": "Hm." }]);
    let item = json!({ "id": "rs_1", "type": "reasoning", "summary": [], "content": content });
    let hm = AssistantBlock::Thinking { thinking: "Hm.".to_owned(), signature: None, redacted: false };
    for events in [vec![piece.clone(), done(0, item.clone())], vec![piece], vec![done(0, item)]] {
        let events = [events, vec![completed()]].concat();
        assert_eq!(read(&events).unwrap().content, std::slice::from_ref(&hm));
    }
}

#[test]
fn usage_counts_wherever_it_is() {
    let usage = |tokens: u64| json!({ "response": { "usage": { "input_tokens": tokens, "output_tokens": 1 } } });
    let with = |kind: &str, tokens: u64| {
        let mut event = usage(tokens);
        event["type"] = json!(kind);
        event
    };
    let tokens = |events: &[Value]| read(events).unwrap().usage.input;
    assert_eq!(tokens(&[with("response.in_progress", 5), completed()]), 5);
    assert_eq!(tokens(&[with("response.in_progress", 5), with("response.completed", 9)]), 9);
    assert_eq!(tokens(&[with("brand.new", 5), completed()]), 5);
    assert_eq!(tokens(&[with("response.completed", u64::MAX)]), u32::MAX);
    assert_eq!(read(&[completed()]).unwrap().usage, Usage::default());
}

#[test]
fn an_answer_that_is_cut_off_says_so() {
    for reason in [json!({ "reason": "max_output_tokens" }), Value::Null] {
        let end = json!({ "type": "response.incomplete", "response": { "incomplete_details": reason } });
        let message = read(&[text_piece("Hel"), end]).unwrap();
        assert_eq!(message.stop_reason, StopReason::Length);
        assert_eq!(message.content, [AssistantBlock::Text { text: "Hel".to_owned() }]);
    }
}

#[test]
fn a_refusal_is_an_error_in_the_words_of_the_model() {
    let piece = part("refusal.delta", 1, json!({ "content_index": 0, "delta": "I ca" }));
    let whole = part("refusal.done", 1, json!({ "refusal": "I cannot." }));
    let item = done(1, message(json!([{ "type": "refusal", "refusal": "I cannot." }])));
    for events in [vec![piece.clone(), whole], vec![item]] {
        assert_eq!(fault(&events), "the model refuses to answer: I cannot.");
    }
    assert_eq!(fault(&[piece, completed()]), "the model refuses to answer");
    let filter = cut_off("content_filter");
    let refused = read(&[text_piece("Hel"), filter]).unwrap_err();
    assert_eq!(refused.text, "the model refuses to answer: its service's content filter stopped the answer");
    assert_eq!(refused.kind, ErrorKind::Other);
}

/// Bug log 145.
#[test]
fn a_failure_in_the_stream_is_told_as_what_it_is() {
    let failed =
        |error: Value| json!({ "type": "response.failed", "response": { "status": "failed", "error": error } });
    let transient = ErrorKind::Transient { retry_after: None };
    for (event, kind, text) in [
        (failed(json!({ "code": "server_error", "message": "Sorry." })), transient, "Sorry."),
        (failed(json!({ "code": "rate_limit_exceeded", "message": "Slow." })), transient, "Slow."),
        (failed(json!({ "code": "invalid_prompt", "message": "No." })), ErrorKind::Other, "No."),
        (failed(json!({ "code": "context_length_exceeded", "message": "Long." })), ErrorKind::Overflow, "Long."),
        (failed(Value::Null), transient, "it says that it failed, and not why"),
        (json!({ "type": "error", "code": "server_error", "message": "Sorry." }), transient, "Sorry."),
        (json!({ "type": "error" }), transient, "it says that it failed, and not why"),
    ] {
        for before in
            [vec![], vec![text_piece("Hel")], vec![added(2, call("fc_1", "call_1", "")), piece(2, "fc_1", "{")]]
        {
            let fault = read(&[before, vec![event.clone(), completed()]].concat()).unwrap_err();
            assert_eq!((fault.kind, &*fault.text), (kind, text), "{event}");
        }
    }
}

#[test]
fn a_value_that_cannot_be_is_an_error() {
    for event in [
        json!({ "type": "response.output_text.delta", "delta": 7 }),
        json!({ "type": "response.reasoning_summary_text.delta", "delta": {} }),
        json!({ "type": "response.output_item.added" }),
        json!({ "type": "response.output_item.done", "item": "no" }),
        added(0, json!({ "type": "function_call", "call_id": 7 })),
        done(1, message(json!([{ "type": "output_text", "text": [] }]))),
    ] {
        let fault = read(&[event.clone(), completed()]).unwrap_err();
        assert_eq!(fault.kind, ErrorKind::Transient { retry_after: None }, "{event}");
    }
}

/// Some services end every response like a whole one.
#[test]
fn a_response_that_says_it_is_not_complete_is_not() {
    let end = |response: Value| json!({ "type": "response.completed", "response": response });
    let item = message(json!([{ "type": "output_text", "text": "Half" }]));
    let cut = json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } });
    let answer = read(&[added(1, message(json!([]))), text_piece("Half"), done(1, item), end(cut)]).unwrap();
    assert_eq!(answer.stop_reason, StopReason::Length);
    let failed = json!({ "status": "failed", "error": { "code": "server_error", "message": "no" } });
    assert!(read(&[text_piece("Half"), end(failed)]).is_err());
}

#[test]
fn a_text_that_is_not_what_its_pieces_were_is_an_error() {
    let whole = part("output_text.done", 1, json!({ "content_index": 0, "text": "Do not rm" }));
    assert!(read(&[text_piece("Do "), text_piece("rm"), whole, completed()]).is_err());
}

#[test]
fn an_answer_that_does_not_come_in_pieces_is_read() {
    let output = json!([message(json!([{ "type": "output_text", "text": "All of it" }]))]);
    let end = json!({ "type": "response.completed", "response": { "status": "completed", "output": output } });
    let said = [AssistantBlock::Text { text: "All of it".to_owned() }];
    assert_eq!(read(std::slice::from_ref(&end)).unwrap().content, said);
    // Also if only its reasoning did.
    assert_eq!(read(&[thought(0, "Hm."), end]).unwrap().content[1..], said);
}
