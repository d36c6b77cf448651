//! Answers, whole and broken.

use seam_loop::message::RequestedCall;
use seam_loop::provider::BlockKind;
use seam_loop::{AssistantBlock, ErrorKind, StopReason, Usage};

use super::*;
use crate::fault::Class;

fn whole_text(text: &str) -> AssistantBlock {
    AssistantBlock::Text { text: text.to_owned() }
}

fn whole_thinking(thinking: &str, signature: &str, redacted: bool) -> AssistantBlock {
    AssistantBlock::Thinking { thinking: thinking.to_owned(), signature: Some(signature.to_owned()), redacted }
}

/// Everything that a stream has, with pings and things that nobody knows in between.
fn full() -> Vec<Value> {
    vec![
        start(),
        begin(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        thought(0, "Let me "),
        thought(0, "see."),
        delta(0, "signature_delta", "signature", "EqQ="),
        end(0),
        begin(1, &json!({ "type": "redacted_thinking", "data": "hidden" })),
        end(1),
        begin(2, &json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} })),
        input(2, "{\"query\": 1}"),
        end(2),
        begin(3, &json!({ "type": "text", "text": "" })),
        words(3, "I "),
        delta(3, "citations_delta", "citation", "none"),
        json!({ "type": "brand_new", "index": 3, "delta": { "type": "text_delta", "text": "no" } }),
        words(3, "read."),
        end(3),
        call(4, "toolu_1", "read"),
        input(4, ""),
        input(4, "{\"path\":"),
        input(4, " \"a.txt\"}"),
        end(4),
        call(5, "toolu_2", "list"),
        end(5),
        stop("tool_use"),
        done(),
    ]
}

#[test]
fn a_full_stream_becomes_the_whole_message() {
    let message = read(&full());
    let call = |id: &str, name: &str, arguments| requested(id, name, arguments, None);
    assert_eq!(
        message.content,
        [
            whole_thinking("Let me see.", "EqQ=", false),
            whole_thinking("", "hidden", true),
            whole_text("I read."),
            call("toolu_1", "read", json!({ "path": "a.txt" })),
            call("toolu_2", "list", json!({})),
        ]
    );
    assert_eq!(message.usage, Usage { input: 21, output: 34, cache_read: 13, cache_write: 8, cost: 0.5 });
    assert_eq!(message.stop_reason, StopReason::ToolUse);
}

fn requested(id: &str, name: &str, arguments: Value, arguments_error: Option<String>) -> AssistantBlock {
    let (id, name) = (id.to_owned(), name.to_owned());
    AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error, signature: None })
}

#[test]
fn what_is_said_is_told_as_it_comes() {
    let events =
        [start(), begin(0, &json!({ "type": "text", "text": "A" })), words(0, "b"), end(0), stop("end_turn"), done()];
    let (told, message) = read_all(&events);
    let delta = |delta: &str| StreamEvent::BlockDelta { index: 0, delta: delta.to_owned() };
    assert_eq!(
        told,
        [
            StreamEvent::Start,
            StreamEvent::BlockStart { index: 0, kind: BlockKind::Text },
            delta("A"),
            delta("b"),
            StreamEvent::BlockEnd { index: 0, block: whole_text("Ab") },
        ]
    );
    assert_eq!(message.unwrap().stop_reason, StopReason::Stop);
}

/// Bug log 143.
#[test]
fn a_stream_that_ends_early_is_an_error_wherever_it_ends() {
    let events = full();
    for cut in 0..events.len() {
        assert_eq!(fault(&events[..cut]), Fault::truncated(), "after {cut} events");
    }
    let no_reason: Vec<Value> = events.into_iter().filter(|event| event["type"] != "message_delta").collect();
    assert_eq!(fault(&no_reason), Fault::truncated());
}

/// The arguments of the calls of a message.
fn objects(events: &[Value]) -> Vec<(String, Value)> {
    read(events).tool_calls().map(|call| (call.id.clone(), call.arguments.clone())).collect()
}

/// Two calls with these indexes, the pieces by turns or one call after the other.
fn two(indexes: [Option<u64>; 2], by_turns: bool) -> Vec<Value> {
    let [a, b] = indexes;
    let calls = [call(a, "A", "read"), call(b, "B", "read")];
    let [a1, b1, a2, b2] = [input(a, "{\"n\":"), input(b, "{\"n\":"), input(a, " 1}"), input(b, " 2}")];
    let [call_a, call_b] = calls;
    let blocks = match by_turns {
        true => vec![call_a, call_b, a1, b1, a2, b2],
        false => vec![call_a, a1, a2, call_b, b1, b2],
    };
    [vec![start()], blocks, vec![stop("tool_use"), done()]].concat()
}

/// Bug log 148.
#[test]
fn pieces_of_parallel_calls_go_to_their_calls() {
    let expected = vec![("A".to_owned(), json!({ "n": 1 })), ("B".to_owned(), json!({ "n": 2 }))];
    assert_eq!(objects(&two([Some(0), Some(1)], true)), expected, "by turns");
    assert_eq!(objects(&two([Some(7), Some(3)], true)), expected, "in any order");
    assert_eq!(objects(&two([None, None], false)), expected, "no index");
    assert_eq!(objects(&two([Some(0), None], false)), expected, "no index for the second");
    assert_eq!(objects(&two([Some(0), Some(0)], false)), expected, "the index used again");
}

/// Bug log 149.
#[test]
fn a_call_is_complete_at_its_own_end_or_with_the_message() {
    let ended = |events: &[Value]| {
        let (told, _) = read_all(events);
        told.iter().filter(|event| matches!(event, StreamEvent::BlockEnd { .. })).count()
    };
    let events = two([Some(0), Some(1)], true);
    let (before, last) = events.split_at(events.len() - 1);
    assert_eq!(ended(before), 0);
    assert_eq!(ended(&[before, &[end(1)]].concat()), 1);
    assert_eq!(ended(&[before, last].concat()), 2);
}

/// Bug log 106 and 107.
#[test]
fn calls_without_ids_or_names_are_told_as_they_are() {
    let nameless = json!({ "type": "tool_use", "input": { "a": 1 } });
    let events = [start(), call(0, "", "read"), end(0), call(1, "", ""), input(1, "{}"), end(1), begin(2, &nameless)];
    let message = read(&[&events[..], &[stop("tool_use"), done()]].concat());
    let call = |name, arguments| requested("", name, arguments, None);
    assert_eq!(message.content, [call("read", json!({})), call("", json!({})), call("", json!({ "a": 1 }))]);
}

#[test]
fn arguments_at_the_beginning_of_a_call_count_unless_pieces_follow() {
    let begun = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": { "n": 0 } });
    let events = [begin(0, &begun("A")), end(0), begin(1, &begun("B")), input(1, "{\"n\": 1}"), end(1)];
    let events = [&events[..], &[begin(2, &begun("C")), begin(2, &begun("D")), stop("tool_use"), done()]].concat();
    let call = |id: &str, n: u64| (id.to_owned(), json!({ "n": n }));
    assert_eq!(objects(&events), [call("A", 0), call("B", 1), call("C", 0), call("D", 0)]);
}

/// Bug log 142.
#[test]
fn a_call_that_the_limit_cuts_off_has_no_arguments_that_can_be_used() {
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let events =
            [start(), call(0, "A", "write"), input(0, "{\"path\":\"a\",\"content\":\"half"), stop(reason), done()];
        let message = read(&events);
        assert_eq!(message.stop_reason, StopReason::Length);
        let call = message.tool_calls().next().unwrap();
        assert_eq!(call.arguments, json!("{\"path\":\"a\",\"content\":\"half"));
        assert!(call.arguments_error.is_some());
    }
}

#[test]
fn each_reason_to_stop_is_understood() {
    for (reason, expected) in [
        ("end_turn", StopReason::Stop),
        ("stop_sequence", StopReason::Stop),
        ("pause_turn", StopReason::Stop),
        ("brand_new", StopReason::Stop),
        // Without a call there is nothing to wait for.
        ("tool_use", StopReason::Stop),
        ("max_tokens", StopReason::Length),
    ] {
        assert_eq!(read(&[start(), stop(reason), done()]).stop_reason, expected, "{reason}");
    }
}

#[test]
fn a_refusal_is_an_error_that_says_why() {
    let refusal = |details: Value| {
        let delta = json!({ "stop_reason": "refusal", "stop_details": details });
        fault(&[start(), json!({ "type": "message_delta", "delta": delta }), done()])
    };
    let said = refusal(json!({ "type": "refusal", "category": "cyber", "explanation": "It is about malware." }));
    assert_eq!((said.class, said.kind), (Class::Refusal, ErrorKind::Other));
    assert_eq!(said.text, "the model refuses to answer (It is about malware.)");
    assert_eq!(
        refusal(json!({ "category": "cyber", "explanation": null })).text,
        "the model refuses to answer (cyber)"
    );
    assert_eq!(refusal(Value::Null).text, "the model refuses to answer");
}

/// Bug log 151.
#[test]
fn an_answer_may_be_empty() {
    let message = read(&[start(), stop("end_turn"), done()]);
    assert_eq!((message.content, message.stop_reason), (vec![], StopReason::Stop));
}

#[test]
fn the_last_count_that_says_something_is_the_cost_wherever_it_stands() {
    let usage = |counts: Value| json!({ "type": "ping", "usage": counts });
    let at_delta = json!({ "type": "message_delta",
        "delta": { "stop_reason": "end_turn", "usage": { "output_tokens": 7 } },
        "usage": { "input_tokens": 0, "cache_read_input_tokens": null, "cache_creation_input_tokens": 9 } });
    let odd =
        usage(json!({ "output_tokens": "many", "input_tokens": -1, "cache_read_input_tokens": 5_000_000_000_u64 }));
    let cost = |events: &[Value]| read(events).usage;
    let all = Usage { input: 21, output: 7, cache_read: u32::MAX, cache_write: 9, cost: 0.5 };
    assert_eq!(cost(&[start(), odd, at_delta.clone(), done()]), all);
    let late = [at_delta, usage(json!({ "input_tokens": 3 })), done()];
    assert_eq!(cost(&late), Usage { input: 3, output: 7, cache_read: 0, cache_write: 9, cost: 0.5 });
    assert_eq!(cost(&[json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }), done()]).output, 0);
}

/// Bug log 145.
#[test]
fn an_error_event_is_an_error_wherever_it_comes() {
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let before =
        [start(), begin(0, &json!({ "type": "text" })), words(0, "Hm"), call(1, "A", "write"), input(1, "{\"pa")];
    for place in 0..=before.len() {
        let fault = fault(&[&before[..place], std::slice::from_ref(&error)].concat());
        assert_eq!((fault.class, fault.text.as_str()), (Class::Busy, "Overloaded"), "after {place} events");
        assert_eq!(fault.kind, ErrorKind::Transient { retry_after: None });
    }
}

/// Bug log 147.
#[test]
fn events_that_mean_nothing_change_nothing() {
    let nothing = [json!({ "type": "ping" }), json!({}), json!([]), json!("text"), json!(7), json!({ "type": null })];
    let between = full().into_iter().flat_map(|event| [&nothing[..], &[event]].concat());
    let (with, without) = (read(&between.collect::<Vec<_>>()), read(&full()));
    assert_eq!((with.content, with.usage), (without.content, without.usage));
}

#[test]
fn what_cannot_be_is_an_error() {
    let text = begin(0, &json!({ "type": "text", "text": "" }));
    for (bad, why) in [
        (words(1, "lost"), "a piece of block 1, which has not begun or is complete"),
        (input(0, "{}"), "a `input_json_delta` for block 0, which is of another kind"),
        (thought(0, "hm"), "a `thinking_delta` for block 0, which is of another kind"),
        (json!({ "type": "content_block_stop", "index": "0" }), "block \"0\" has no number"),
        (json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": 7 } }), "`text` is no text"),
        (begin(1, &json!({ "type": "tool_use", "id": 7 })), "`id` is no text"),
        (json!({ "type": "message_delta", "delta": { "stop_reason": [] } }), "`stop_reason` is no text"),
    ] {
        assert_eq!(fault(&[start(), text.clone(), bad]), Fault::stream(why));
    }
    let ended = fault(&[text, end(0), words(0, "late")]);
    assert_eq!(ended, Fault::stream("a piece of block 0, which has not begun or is complete"));
}
