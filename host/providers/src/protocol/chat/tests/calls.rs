//! Tool calls in fragments, as services send them.

use seam_loop::{AssistantBlock, StreamEvent};
use serde_json::{Value, json};

use super::reader::{delta, finish, read};
use super::*;

const LOOK: &str = "look";

/// A fragment. What is none is left out.
fn fragment(index: Option<u32>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({ "function": { "arguments": arguments } });
    let fields = [("index", index.map(Value::from)), ("id", id.map(Value::from))];
    for (field, value) in fields.into_iter().filter_map(|(field, value)| Some((field, value?))) {
        call[field] = value;
    }
    if let Some(name) = name {
        call["function"]["name"] = json!(name);
    }
    call
}

/// The id, the name and the arguments of each call.
fn calls(fragments: &[Value]) -> Vec<(String, String, Value)> {
    let events = fragments.iter().map(|fragment| delta(json!({ "tool_calls": [fragment] })));
    let events: Vec<Value> = events.chain([finish("tool_calls")]).collect();
    let call = |block| match block {
        AssistantBlock::ToolCall(call) => (call.id, call.name, call.arguments),
        other => panic!("no call: {other:?}"),
    };
    read(&events).unwrap().content.into_iter().map(call).collect()
}

fn two(first: &str, second: &str) -> Vec<(String, String, Value)> {
    let call = |id: &str, path| (id.to_owned(), LOOK.to_owned(), json!({ "path": path }));
    vec![call(first, "a"), call(second, "b")]
}

const A: [&str; 2] = ["{\"path\":", "\"a\"}"];
const B: [&str; 2] = ["{\"pa", "th\":\"b\"}"];

/// Bug log 148 and 149.
#[test]
fn fragments_of_two_calls_by_turns_are_two_calls() {
    let look = Some(LOOK);
    let [zero, one] = [Some(0), Some(1)];
    let headers_first = [
        fragment(zero, Some("1"), look, ""),
        fragment(one, Some("2"), look, ""),
        fragment(zero, None, None, A[0]),
        fragment(one, None, None, B[0]),
        fragment(zero, None, None, A[1]),
        fragment(one, None, None, B[1]),
    ];
    let empty_names = [
        fragment(zero, Some("1"), look, A[0]),
        fragment(one, Some("2"), look, B[0]),
        fragment(zero, Some(""), Some(""), A[1]),
        fragment(one, Some(""), Some(""), B[1]),
    ];
    let only_ids = [
        fragment(None, Some("1"), look, A[0]),
        fragment(None, Some("2"), look, B[0]),
        fragment(None, Some("1"), None, A[1]),
        fragment(None, Some("2"), None, B[1]),
    ];
    let no_index = [
        fragment(None, Some("1"), look, A[0]),
        fragment(None, None, None, A[1]),
        fragment(None, Some("2"), look, B[0]),
        fragment(None, None, None, B[1]),
    ];
    let index_used_again = [
        fragment(zero, Some("1"), look, A[0]),
        fragment(zero, None, None, A[1]),
        fragment(zero, Some("2"), look, B[0]),
        fragment(zero, None, None, B[1]),
    ];
    let names_again = [
        fragment(zero, Some("1"), look, A[0]),
        fragment(one, Some("2"), look, B[0]),
        fragment(zero, None, look, A[1]),
        fragment(one, None, look, B[1]),
        fragment(zero, None, look, ""),
    ];
    let new_ids_for_each_fragment = [
        fragment(zero, Some("1"), look, A[0]),
        fragment(one, Some("2"), look, B[0]),
        fragment(zero, Some("3"), None, A[1]),
        fragment(one, Some("4"), None, B[1]),
    ];
    let late = [
        fragment(zero, Some("1"), None, ""),
        fragment(zero, None, look, A[0]),
        fragment(one, None, Some(""), ""),
        fragment(one, Some("2"), look, B[0]),
        fragment(zero, None, None, A[1]),
        fragment(one, None, None, B[1]),
    ];
    let whole = [fragment(zero, Some("1"), look, &A.concat()), fragment(zero, Some("2"), look, &B.concat())];
    for case in [
        &headers_first[..],
        &empty_names,
        &only_ids,
        &no_index,
        &index_used_again,
        &names_again,
        &new_ids_for_each_fragment,
        &late,
        &whole,
    ] {
        assert_eq!(calls(case), two("1", "2"), "{case:?}");
    }
}

/// Bug log 107.
#[test]
fn calls_without_ids_are_told_apart() {
    let look = Some(LOOK);
    let by_index = [
        fragment(Some(0), None, look, A[0]),
        fragment(Some(1), None, look, B[0]),
        fragment(Some(0), None, None, A[1]),
        fragment(Some(1), None, None, B[1]),
    ];
    let whole = [fragment(None, None, look, &A.concat()), fragment(None, None, look, &B.concat())];
    let same_index = [fragment(Some(0), None, look, &A.concat()), fragment(Some(0), None, look, &B.concat())];
    for case in [&by_index[..], &whole, &same_index] {
        assert_eq!(calls(case), two("", ""), "{case:?}");
    }
    let other_names = [fragment(None, None, look, ""), fragment(None, None, Some("write"), "{}")];
    let names: Vec<String> = calls(&other_names).into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, [LOOK, "write"]);
}

/// Bug log 106.
#[test]
fn a_call_of_no_tool_is_an_error() {
    for arguments in ["{}", ""] {
        let call = delta(json!({ "tool_calls": [fragment(Some(0), Some(""), Some(""), arguments)] }));
        let fault = read(&[call, finish("tool_calls")]).unwrap_err();
        assert!(fault.text.contains("names no tool"), "{fault:?}");
    }
}

/// Bug log 149.
#[test]
fn no_call_is_complete_before_the_response_is() {
    let (mut reader, mut answer) = (Chat.reader(), answer());
    let more = [fragment(Some(0), Some("1"), Some(LOOK), "{}"), fragment(Some(1), Some("2"), Some(LOOK), "{}")];
    let events = [delta(json!({ "tool_calls": more })), delta(json!({ "content": "Both." })), finish("tool_calls")];
    for event in &events {
        reader.take(None, event, &mut answer).unwrap();
    }
    let is_end = |event: &StreamEvent| matches!(event, StreamEvent::BlockEnd { .. });
    assert!(!std::iter::from_fn(|| answer.next_event()).any(|event| is_end(&event)));
    reader.end(&mut answer).unwrap();
    answer.finish(|_| 0.0).unwrap();
    assert_eq!(std::iter::from_fn(|| answer.next_event()).filter(is_end).count(), 3);
}

#[test]
fn arguments_that_are_an_object_are_taken_as_one() {
    let call = json!({ "id": "1", "function": { "name": LOOK, "arguments": { "path": "a" } } });
    assert_eq!(calls(&[call]), two("1", "2")[..1]);
}

/// Bug log 148.
#[test]
fn an_index_that_is_a_text_is_one() {
    let piece = |index: &str, id: Option<&str>, name: Option<&str>, arguments: &str| {
        let mut fragment = fragment(None, id, name, arguments);
        fragment["index"] = json!(index);
        fragment
    };
    let fragments = [
        piece("0", Some("a"), Some(LOOK), "{"),
        piece("1", Some("b"), Some(LOOK), "{"),
        piece("0", None, None, r#""path":"a"}"#),
        piece("1", None, None, r#""path":"b"}"#),
    ];
    assert_eq!(calls(&fragments), two("a", "b"));
}

/// Bug log 148.
#[test]
fn arguments_that_may_be_of_two_calls_are_of_none() {
    let begin = [fragment(Some(0), Some("a"), Some(LOOK), "{"), fragment(Some(1), Some("b"), Some("rm"), "{")];
    let odd = [("index", json!(-1)), ("index", json!({})), ("index", json!("x")), ("other", json!(0))].map(
        |(name, value)| {
            let mut fragment = fragment(None, None, None, r#""path":"of-a"}"#);
            fragment[name] = value;
            fragment
        },
    );
    for fragment in odd {
        let all = [begin.as_slice(), &[fragment]].concat();
        refused(&all);
    }
    // Also when the first has none yet.
    let begin = [fragment(None, Some("a"), Some(LOOK), ""), fragment(None, Some("b"), Some("rm"), "")];
    refused(&[begin.as_slice(), &[fragment(None, None, None, r#"{"path":"of-a"}"#)]].concat());
}

/// No call comes of these.
fn refused(fragments: &[Value]) {
    let events = fragments.iter().map(|fragment| delta(json!({ "tool_calls": [fragment] })));
    let events: Vec<Value> = events.chain([finish("tool_calls")]).collect();
    assert!(read(&events).is_err());
}
