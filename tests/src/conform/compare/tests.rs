//! What counts as a difference.

use super::*;

fn recording(trace: Value) -> Value {
    json!({ "trace": trace, "requests": [], "transcript": [], "toolRuns": {} })
}

fn compare(order: &str, expected: Value, actual: Value) -> usize {
    differences(&json!({ "traceOrder": order }), &recording(expected), &recording(actual), true).len()
}

#[test]
fn the_order_of_calls_may_not_count() {
    let entry = |kind: &str, id: &str| json!({ "tool": kind, "toolCallId": id });
    let one = json!([entry("start", "a"), entry("start", "b"), entry("end", "a"), entry("end", "b")]);
    let other = json!([entry("start", "b"), entry("end", "b"), entry("start", "a"), entry("end", "a")]);
    let wrong = json!([entry("end", "b"), entry("start", "b"), entry("start", "a"), entry("end", "a")]);
    assert_eq!(compare("total", one.clone(), other.clone()), 1);
    assert_eq!(compare("per-call", one.clone(), other), 0);
    assert_eq!(compare("per-call", one, wrong), 1);
}

#[test]
fn nested_entries_belong_to_the_outermost_call() {
    let nested = json!({ "nested": "call", "parent": "a", "id": "n" });
    let inner = json!({ "tool": "start", "toolCallId": "n" });
    let main = json!({ "event": "turn_start" });
    let one = json!([nested, inner, main]);
    assert_eq!(compare("per-call", one.clone(), json!([nested, main, inner])), 0);
    assert_ne!(compare("per-call", one, json!([main, inner, nested])), 0);
}

#[test]
fn the_words_of_an_error_may_not_count() {
    let failed = |text: &str| {
        recording(
            json!([{ "event": "tool_execution_end", "isError": true, "result": { "content": [{ "text": text }] } }]),
        )
    };
    let scenario = json!({});
    assert_eq!(differences(&scenario, &failed("a"), &failed("b"), true).len(), 1);
    assert_eq!(differences(&scenario, &failed("a"), &failed("b"), false), Vec::<String>::new());
}
