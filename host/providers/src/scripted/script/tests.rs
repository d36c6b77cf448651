use std::io::Write as _;

use serde_json::json;

use super::*;

/// What is wrong with a script of one good turn and this one.
fn fault(turn: Value) -> String {
    Script::from_value(json!({"turns": [{}, turn]}), "script.json").unwrap_err().to_string()
}

/// What is wrong with a turn whose content is this one block.
fn block_fault(block: Value) -> String {
    fault(json!({"content": [block]}))
}

#[test]
fn a_scenario_is_a_script() {
    let text = r#"{"name": "x", "steps": [], "agent": {"unknown": 1}, "turns": [{}, {"throws": "no"}]}"#;
    assert_eq!(Script::parse(text, "x.json").unwrap().turns.len(), 2);
}

#[test]
fn a_script_is_read_from_a_file() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(br#"{"turns": 1}"#).unwrap();
    let expected = format!("{}: turns: expected a list", file.path().display());
    assert_eq!(Script::read(file.path()).unwrap_err().to_string(), expected);

    let error = Script::read("no/such/script.json").unwrap_err().to_string();
    assert!(error.starts_with("no/such/script.json: cannot be read: "), "{error}");
}

#[test]
fn what_is_no_script() {
    let fault = |text| Script::parse(text, "script.json").unwrap_err().to_string();
    assert_eq!(fault("{"), "script.json: not JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(fault("[]"), "script.json: expected an object");
    assert_eq!(fault("{}"), "script.json: turns: missing");
    assert_eq!(
        fault(r#"{"turn": []}"#),
        "script.json: turn: unknown key; expected one of name, description, traceOrder, agent, models, tools, turns, \
         hooks, observe, installLater, inject, events, steps"
    );
    assert_eq!(
        fault(r#"{"turns": [{"content": [{"text": {"repeat": "a", "times": -1}}]}]}"#),
        "script.json: turns[0].content[0].text.times: expected a whole number, at least 0"
    );
}

#[test]
fn what_is_no_turn() {
    assert_eq!(fault(json!("hi")), "script.json: turns[1]: expected an object");
    assert_eq!(
        fault(json!({"contents": []})),
        "script.json: turns[1].contents: unknown key; expected one of content, stopReason, error, errorMessage, usage, \
         stream, chunks, delay, chunkDelay, ignoreAbort, throws"
    );
    assert_eq!(fault(json!({"content": "hi"})), "script.json: turns[1].content: expected a list");
    assert_eq!(
        fault(json!({"stopReason": "end"})),
        "script.json: turns[1].stopReason: expected one of stop, length, toolUse, deferred, aborted, error"
    );
    assert_eq!(fault(json!({"stream": true})), "script.json: turns[1].stream: expected one of blocks, none, end");
    assert_eq!(fault(json!({"error": 1})), "script.json: turns[1].error: expected a string or an object");
    assert_eq!(fault(json!({"errorMessage": null})), "script.json: turns[1].errorMessage: expected a string");
    assert_eq!(fault(json!({"chunks": 0})), "script.json: turns[1].chunks: expected a whole number, at least 1");
    assert_eq!(fault(json!({"delay": -1})), "script.json: turns[1].delay: expected a whole number, at least 0");
    assert_eq!(
        fault(json!({"chunkDelay": 1.5})),
        "script.json: turns[1].chunkDelay: expected a whole number, at least 0"
    );
    assert_eq!(fault(json!({"ignoreAbort": 1})), "script.json: turns[1].ignoreAbort: expected true or false");
    assert_eq!(fault(json!({"throws": {}})), "script.json: turns[1].throws.message: missing");
    assert_eq!(
        fault(json!({"error": {"message": "no", "kind": "bad"}})),
        "script.json: turns[1].error.kind: expected one of overflow, transient, other"
    );
    assert_eq!(
        fault(json!({"error": {"message": "no", "kind": "overflow", "retryAfter": 1}})),
        "script.json: turns[1].error.retryAfter: goes with the kind `transient` alone; remove it"
    );
}

#[test]
fn keys_that_exclude_each_other() {
    assert_eq!(
        fault(json!({"throws": "no", "content": []})),
        "script.json: turns[1].throws: stands alone; remove the turn's other keys"
    );
    for key in ["stopReason", "errorMessage"] {
        assert_eq!(
            fault(json!({"error": "no", key: "error"})),
            "script.json: turns[1].error: stands for stopReason and errorMessage; remove them"
        );
    }
}

#[test]
fn what_is_no_usage() {
    assert_eq!(
        fault(json!({"usage": {"total": 1}})),
        "script.json: turns[1].usage.total: unknown key; expected one of input, output, cacheRead, cacheWrite"
    );
    assert_eq!(
        fault(json!({"usage": {"input": "1"}})),
        "script.json: turns[1].usage.input: expected a whole number, at least 0"
    );
}

#[test]
fn what_is_no_block() {
    for block in [json!("hi"), json!({}), json!({"txt": "hi"}), json!({"text": "hi", "thinking": "hm"})] {
        assert_eq!(block_fault(block), "script.json: turns[1].content[0]: expected one of text, thinking, toolCall");
    }
    assert_eq!(
        block_fault(json!({"image": {"mimeType": "image/png", "data": ""}})),
        "script.json: turns[1].content[0].image: an answer cannot hold an image"
    );
    assert_eq!(block_fault(json!({"text": 1})), "script.json: turns[1].content[0].text: expected a string");
    assert_eq!(block_fault(json!({"thinking": []})), "script.json: turns[1].content[0].thinking: expected a string");
}

#[test]
fn what_is_no_tool_call() {
    let fault = |call| block_fault(json!({ "toolCall": call }));
    assert_eq!(fault(json!([])), "script.json: turns[1].content[0].toolCall: expected an object");
    assert_eq!(fault(json!({"id": "c1", "name": "write"})), "script.json: turns[1].content[0].toolCall.args: missing");
    assert_eq!(
        fault(json!({"id": 1, "name": "write", "args": {}})),
        "script.json: turns[1].content[0].toolCall.id: expected a string"
    );
    assert_eq!(
        fault(json!({"id": "c1", "name": "write", "arguments": {}})),
        "script.json: turns[1].content[0].toolCall.arguments: unknown key; expected one of id, name, args, \
         argumentsError"
    );
}
