//! Calls in a response: in pieces, several at once, with names that are missing or used twice.

use seam_loop::message::RequestedCall;
use seam_loop::{AssistantBlock, ErrorKind, StopReason, StreamEvent};
use serde_json::{Value, json};

use super::{added, call, completed, cut_off, done, fault, piece, read, told, whole};

const A: &str = r#"{"path":"a"}"#;
const B: &str = r#"{"path":"b"}"#;

/// The calls of an answer.
fn calls(events: &[Value]) -> Vec<RequestedCall> {
    let calls = read(events).unwrap().content.into_iter().map(|block| match block {
        AssistantBlock::ToolCall(call) => call,
        other => panic!("no call: {other:?}"),
    });
    calls.collect()
}

/// Ids, names and arguments of the calls of an answer, which are all right.
fn found(events: &[Value]) -> Vec<(String, Value)> {
    let found = calls(events).into_iter().map(|call| {
        assert_eq!(call.arguments_error, None);
        (call.id, call.arguments)
    });
    found.collect()
}

fn both() -> Vec<(String, Value)> {
    vec![("call_a".to_owned(), json!({ "path": "a" })), ("call_b".to_owned(), json!({ "path": "b" }))]
}

/// The heads of two calls, then their pieces by turns, then their ends.
fn mixed() -> Vec<Value> {
    vec![
        added(0, call("fc_a", "call_a", "")),
        added(1, call("fc_b", "call_b", "")),
        piece(0, "fc_a", r#"{"path""#),
        piece(1, "fc_b", r#"{"pa"#),
        piece(0, "fc_a", r#":"a"}"#),
        piece(1, "fc_b", r#"th":"b"}"#),
        whole(0, "fc_a", A),
        done(0, call("fc_a", "call_a", A)),
        whole(1, "fc_b", B),
        done(1, call("fc_b", "call_b", B)),
        completed(),
    ]
}

/// The same without a field in some events.
fn without(mut events: Vec<Value>, field: &str, from: impl Fn(&str) -> bool) -> Vec<Value> {
    for event in events.iter_mut().filter(|event| from(event["type"].as_str().unwrap())) {
        event.as_object_mut().unwrap().remove(field);
    }
    events
}

/// Bug log 148.
#[test]
fn pieces_of_several_calls_find_their_call() {
    let every = |_: &str| true;
    let later = |kind: &str| kind != "response.output_item.added";
    for events in [
        mixed(),
        without(mixed(), "output_index", every),
        without(mixed(), "output_index", later),
        without(mixed(), "item_id", every),
    ] {
        assert_eq!(found(&events), both(), "{events:?}");
    }
}

/// Bug log 148.
#[test]
fn an_index_that_is_used_again_is_not_the_same_call() {
    let mut events = mixed();
    events.iter_mut().filter(|event| event["output_index"] == 1).for_each(|event| event["output_index"] = json!(0));
    assert_eq!(found(&events), both());
    // Not even when nothing else tells the pieces apart, as long as they come one call after the other.
    let alone = |call_id: &str, arguments: &str| {
        let item = |arguments: &str| super::call("", call_id, arguments);
        let delta = json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": arguments });
        [added(0, item("")), delta, done(0, item(arguments))]
    };
    let events = [&alone("call_a", A)[..], &alone("call_b", B)[..], &[completed()][..]].concat();
    assert_eq!(found(&events), both());
}

#[test]
fn ids_that_change_on_the_way_are_no_other_calls() {
    let mut events = mixed();
    for (number, event) in events.iter_mut().enumerate() {
        if event.get("item_id").is_some() {
            event["item_id"] = json!(format!("changed_{number}"));
        } else if event["type"] == "response.output_item.done" {
            event["item"]["id"] = json!(format!("changed_{number}"));
        }
    }
    assert_eq!(found(&events), both());
}

#[test]
fn pieces_that_may_be_of_either_call_are_an_error() {
    let nameless = without(without(mixed(), "output_index", |_| true), "item_id", |_| true);
    assert_eq!(fault(&nameless), "it sent arguments of a call that has not begun, or was complete");
    // With one call there is no doubt.
    let one: Vec<Value> = nameless
        .into_iter()
        .enumerate()
        .filter(|(at, _)| [0, 2, 4, 6, 7, 10].contains(at))
        .map(|(_, event)| event)
        .collect();
    assert_eq!(found(&one), both()[..1]);
}

/// Bug log 149.
#[test]
fn a_call_is_complete_at_its_own_end_only() {
    let told = told(&mixed()).unwrap();
    let ends: Vec<usize> = told
        .iter()
        .enumerate()
        .filter(|(_, event)| matches!(event, StreamEvent::BlockEnd { .. }))
        .map(|(at, _)| at)
        .collect();
    // Start, two heads, four pieces: then the ends.
    assert_eq!(ends, [7, 8]);
}

/// Bug log 143.
#[test]
fn a_call_without_an_end_is_an_error_even_in_an_answer_that_has_one() {
    let is_end = |event: &Value| event["type"].as_str().is_some_and(|kind| kind.ends_with(".done"));
    let events: Vec<Value> = mixed().into_iter().filter(|event| !is_end(event)).collect();
    let broken = read(&events).unwrap_err();
    assert_eq!(broken.text, "the answer ended before a call in it was complete");
    assert_eq!(broken.kind, ErrorKind::Transient { retry_after: None });
}

#[test]
fn one_end_of_a_call_is_enough_and_more_are_no_more_calls() {
    for kind in ["response.function_call_arguments.done", "response.output_item.done"] {
        let once: Vec<Value> = mixed().into_iter().filter(|event| event["type"] != kind).collect();
        let twice: Vec<Value> = mixed()
            .into_iter()
            .flat_map(|event| {
                let times = if event["type"] == "response.output_item.done" { 2 } else { 1 };
                std::iter::repeat_n(event, times)
            })
            .collect();
        assert_eq!(found(&once), both(), "{kind}");
        assert_eq!(found(&twice), both(), "{kind}");
    }
    let begun_twice = [&mixed()[..1], &mixed()[..]].concat();
    assert_eq!(found(&begun_twice), both());
}

/// Bug log 107.
#[test]
fn calls_without_ids_stay_calls_of_their_own() {
    let mut events = mixed();
    for event in &mut events {
        if let Some(item) = event.get_mut("item").and_then(Value::as_object_mut) {
            item.remove("call_id");
        }
    }
    let nameless: Vec<(String, Value)> = both().into_iter().map(|(_, arguments)| (String::new(), arguments)).collect();
    assert_eq!(found(&events), nameless);
}

/// Bug log 106.
#[test]
fn a_call_without_id_and_name_is_read_as_it_is() {
    let item = |arguments: &str| {
        let mut item = call("", "", arguments);
        item["name"] = json!("");
        item
    };
    let events = [added(0, item("")), piece(0, "", A), done(0, item(A)), completed()];
    let call = calls(&events).remove(0);
    assert_eq!((&*call.id, &*call.name, call.arguments), ("", "", json!({ "path": "a" })));
}

/// Bug log 142.
#[test]
fn an_answer_that_is_cut_off_within_a_call_says_so() {
    let end = cut_off("max_output_tokens");
    let half = r#"{"path":"a","content":"half"#;
    let head = [added(0, call("fc_a", "call_a", "")), piece(0, "fc_a", half)];
    let ended = [whole(0, "fc_a", half), done(0, call("fc_a", "call_a", half))];
    for ends in [&[], &ended[..]] {
        let message = read(&[&head[..], ends, &[end.clone()][..]].concat()).unwrap();
        assert_eq!(message.stop_reason, StopReason::Length);
        let AssistantBlock::ToolCall(call) = &message.content[0] else { panic!("no call") };
        assert_eq!(call.arguments, json!(half));
        assert!(call.arguments_error.is_some());
    }
}

#[test]
fn arguments_that_end_otherwise_than_they_came_are_an_error() {
    let with = |arguments: &str| {
        [added(0, call("fc_a", "call_a", "")), piece(0, "fc_a", A), whole(0, "fc_a", arguments), completed()]
    };
    assert_eq!(fault(&with(B)), "the arguments of a call are others than the pieces that came of them");
    // The same, written otherwise; or not told again.
    for arguments in [r#"{ "path": "a" }"#, ""] {
        assert_eq!(found(&with(arguments)), both()[..1]);
    }
}

#[test]
fn a_piece_behind_the_end_of_its_call_is_an_error() {
    let mut events = mixed();
    events.insert(8, piece(0, "fc_a", " "));
    assert_eq!(fault(&events), "it sent arguments of a call that has not begun, or was complete");
}

#[test]
fn a_call_that_ends_twice_with_other_arguments_is_an_error() {
    let events = [added(0, call("fc_a", "call_a", "")), whole(0, "fc_a", A), done(0, call("fc_a", "call_a", B))];
    assert_eq!(fault(&events), "the arguments of a call are others than the pieces that came of them");
}

#[test]
fn an_answer_has_no_more_items_than_it_may() {
    let events: Vec<Value> = (0..1025).map(|place| added(place, json!({ "type": "message" }))).collect();
    assert_eq!(fault(&events), "an answer of more than 1024 items, which is none");
}
