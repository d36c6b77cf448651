//! What a request looks like.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::message::{RequestedCall, ToolResultMessage, UserMessage};
use seam_loop::tool::{ExecutionMode, Replay};
use seam_loop::{AssistantBlock, AssistantMessage, Content, ErrorKind, Message, StopReason, ToolDefinition, Usage};
use serde_json::{Value, json};

use super::super::Responses;
use super::model;
use crate::conversation::turns;
use crate::options::CacheRetention;
use crate::protocol::{Asked, Wire};
use crate::table::Amount;

const PROOF: &str =
    r#"{"encrypted_content":"gAAA","id":"rs_1","summary":[{"text":"Hm.","type":"summary_text"}],"type":"reasoning"}"#;

fn asked() -> Asked<'static> {
    Asked {
        model: "gpt-5.6",
        thinking: None,
        thinks: false,
        can_think: true,
        system: "Be kind.",
        turns: Vec::new(),
        tools: &[],
        max_tokens: 4_000,
        is_limited: false,
        temperature: None,
        cache: CacheRetention::Short,
        quirks: &[],
    }
}

fn body(asked: &Asked<'_>) -> Value {
    Responses.body(asked)
}

fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, timestamp: 0 })
}

fn image() -> Content {
    Content::Image { data: vec![1, 2, 3], mime_type: "image/png".to_owned() }
}

fn said(model: &str, content: Vec<AssistantBlock>) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        provider: "openai".to_owned(),
        model: model.to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: StopReason::Stop,
        error_message: None,
        error_kind: ErrorKind::Other,
        timestamp: 0,
    })
}

fn text(text: &str) -> AssistantBlock {
    AssistantBlock::Text { text: text.to_owned() }
}

fn thinking(text: &str, signature: Option<&str>) -> AssistantBlock {
    AssistantBlock::Thinking { thinking: text.to_owned(), signature: signature.map(str::to_owned), redacted: false }
}

fn call(id: &str, name: &str, arguments: Value) -> AssistantBlock {
    let (id, name) = (id.to_owned(), name.to_owned());
    AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error: None, signature: None })
}

fn result(id: &str, name: &str, content: Vec<Content>, is_error: bool) -> Message {
    let mut result: ToolResultMessage = serde_json::from_value(json!({
        "toolCallId": id, "toolName": name, "content": [], "isError": is_error, "timestamp": 0
    }))
    .unwrap();
    result.content = content;
    Message::ToolResult(result)
}

fn tool(parameters: Value) -> ToolDefinition {
    ToolDefinition {
        name: "look".into(),
        description: "Looks.".to_owned(),
        parameters,
        mode: ExecutionMode::Parallel,
        replay: Replay::Never,
    }
}

/// The input for a conversation.
fn input(messages: Vec<Message>) -> Value {
    let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
    let turns = turns(&messages, &model(), true, Responses.ids(&[]));
    body(&Asked { turns, ..asked() })["input"].take()
}

#[test]
fn a_conversation_is_told_as_the_service_reads_it() {
    let messages: Vec<Arc<Message>> = [
        user(vec![Content::text("Look."), image()]),
        // Another model's.
        said("gpt-4.1", vec![thinking("Hm?", Some("proof")), text("I look."), call("ns.look:0", "look", json!({}))]),
        result("ns.look:0", "look", vec![Content::text("a.png"), image()], false),
        // Its own.
        said(
            "gpt-5.6",
            vec![
                thinking("Hm.", Some(PROOF)),
                text("And now:"),
                call("call_1", "look", json!({ "path": "ü" })),
                call("call_2", "look", json!(r#"{"path":"half"#)),
                call("call_3", "look", json!([])),
            ],
        ),
        result("call_2", "look", vec![Content::text("the arguments are not valid JSON")], true),
        result("call_1", "look", vec![Content::text("one"), Content::text("two")], false),
        result("call_3", "look", Vec::new(), false),
        user(vec![Content::text("Thanks.")]),
    ]
    .map(Arc::new)
    .into();
    let tools = [tool(json!({ "type": "object", "properties": { "path": { "type": "string" } } }))];
    let effort = Amount::Effort("high".to_owned());
    let turns = turns(&messages, &model(), true, Responses.ids(&[]));
    let asked = Asked { turns, tools: &tools, thinking: Some(&effort), thinks: true, is_limited: true, ..asked() };
    let mut body = body(&asked);
    let foreign = body["input"][2]["call_id"].take();
    assert!(foreign.as_str().unwrap().starts_with("call_"), "{foreign}");
    assert_eq!(body["input"][3]["call_id"].take(), foreign);
    let url = format!("data:image/png;base64,{}", STANDARD.encode([1, 2, 3]));
    let picture = json!({ "type": "input_image", "image_url": url, "detail": "auto" });
    let own: Value = serde_json::from_str(PROOF).unwrap();
    let seen = json!([{ "type": "input_text", "text": "a.png" }, picture]);
    assert_eq!(
        body,
        json!({
            "model": "gpt-5.6",
            "stream": true,
            "store": false,
            "instructions": "Be kind.",
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Look." }, picture] },
                { "type": "message", "role": "assistant", "content": "I look." },
                { "type": "function_call", "call_id": null, "name": "look", "arguments": "{}" },
                { "type": "function_call_output", "call_id": null, "output": seen },
                own,
                { "type": "message", "role": "assistant", "content": "And now:" },
                { "type": "function_call", "call_id": "call_1", "name": "look", "arguments": r#"{"path":"ü"}"# },
                { "type": "function_call", "call_id": "call_2", "name": "look", "arguments": r#"{"invalid_json":"{\"path\":\"half"}"# },
                { "type": "function_call", "call_id": "call_3", "name": "look", "arguments": r#"{"invalid_json":"[]"}"# },
                { "type": "function_call_output", "call_id": "call_1", "output": "one\ntwo" },
                { "type": "function_call_output", "call_id": "call_2", "output": "the arguments are not valid JSON" },
                { "type": "function_call_output", "call_id": "call_3", "output": "(no output)" },
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Thanks." }] },
            ],
            "tools": [{
                "type": "function",
                "name": "look",
                "description": "Looks.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
                "strict": false,
            }],
            "max_output_tokens": 4_000,
            "reasoning": { "effort": "high", "summary": "auto" },
            "include": ["reasoning.encrypted_content"],
            "prompt_cache_key": "seam-7f64e988b6cc5e70",
        })
    );
}

#[test]
fn what_was_not_asked_for_is_not_sent() {
    let asked = Asked { system: "", cache: CacheRetention::None, model: "gpt-4.1", can_think: false, ..asked() };
    assert_eq!(body(&asked), json!({ "model": "gpt-4.1", "stream": true, "store": false, "input": [] }));
}

#[test]
fn thinking_is_asked_for_by_its_amount() {
    let (high, none, budget) =
        (Amount::Effort("high".to_owned()), Amount::Effort("none".to_owned()), Amount::Tokens(9));
    let include = json!(["reasoning.encrypted_content"]);
    for (amount, thinks, reasoning, include) in [
        (Some(&high), true, json!({ "effort": "high", "summary": "auto" }), include.clone()),
        (Some(&budget), true, json!({ "summary": "auto" }), include.clone()),
        (Some(&none), false, json!({ "effort": "none" }), Value::Null),
        (Some(&budget), false, Value::Null, Value::Null),
        // One that cannot be kept from it.
        (None, false, json!({ "summary": "auto" }), include.clone()),
    ] {
        let body = body(&Asked { thinking: amount, thinks, temperature: Some(0.5), ..asked() });
        assert_eq!((&body["reasoning"], &body["include"]), (&reasoning, &include), "{amount:?}");
        let temperature = if include.is_null() { json!(0.5) } else { Value::Null };
        assert_eq!(body["temperature"], temperature, "{amount:?}");
    }
}

#[test]
fn reasoning_that_cannot_go_back_is_left_out() {
    let unsigned = said("gpt-5.6", vec![thinking("Hm.", None), thinking("Hm.", Some("no JSON")), text("Hello.")]);
    let other = said("gpt-5.6", vec![thinking("Hm.", Some(r#"{"type":"message"}"#)), text("Hello.")]);
    // The service refuses reasoning that led to nothing.
    let last = said("gpt-5.6", vec![text("Hello."), thinking("Hm.", Some(PROOF))]);
    for message in [unsigned, other, last] {
        assert_eq!(input(vec![message]), json!([{ "type": "message", "role": "assistant", "content": "Hello." }]));
    }
}

#[test]
fn a_text_goes_back_with_its_phase() {
    let mut answer = crate::answer::Answer::new(model());
    let content = json!([{ "type": "output_text", "text": "First I look." }]);
    let item = json!({ "id": "msg_1", "type": "message", "phase": "commentary", "content": content });
    let event = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let mut reader = Responses.reader();
    reader.take(None, &event, &mut answer).unwrap();
    reader.take(None, &json!({ "type": "response.completed", "response": {} }), &mut answer).unwrap();
    answer.finish(|_| 0.0).unwrap();
    let end = std::iter::from_fn(|| answer.next_event()).last();
    let Some(seam_loop::StreamEvent::End(message)) = end else { panic!("no end") };
    assert_eq!(
        input(vec![Message::Assistant(*message)]),
        json!([{ "type": "message", "role": "assistant", "content": "First I look.", "phase": "commentary" }])
    );
}

/// Bug log 151.
#[test]
fn an_empty_answer_is_not_sent_back() {
    let of_nothing = said("gpt-5.6", Vec::new());
    let of_reasoning = said("gpt-5.6", vec![thinking("Hm.", Some(PROOF))]);
    assert_eq!(input(vec![of_nothing, of_reasoning]), json!([]));
}

#[test]
fn a_limit_is_sent_when_somebody_wants_one() {
    for (is_limited, max_tokens, sent) in [(true, 100, json!(100)), (true, 1, json!(16)), (false, 100, Value::Null)] {
        let body = body(&Asked { is_limited, max_tokens, ..asked() });
        assert_eq!(body["max_output_tokens"], sent);
    }
}

#[test]
fn a_cache_is_asked_for_as_each_model_has_it() {
    let day = json!("24h");
    for (model, cache, day, options) in [
        ("gpt-5.4", CacheRetention::Long, day.clone(), Value::Null),
        ("gpt-5.4-2026-03-05", CacheRetention::Long, day, Value::Null),
        ("gpt-5.4", CacheRetention::Short, Value::Null, Value::Null),
        ("gpt-5.4-mini", CacheRetention::Long, Value::Null, Value::Null),
        ("gpt-6-sol", CacheRetention::Long, Value::Null, Value::Null),
        ("gpt-6-sol", CacheRetention::None, Value::Null, json!({ "mode": "explicit" })),
        ("gpt-5.4", CacheRetention::None, Value::Null, Value::Null),
    ] {
        let body = body(&Asked { model, cache, ..asked() });
        assert_eq!((&body["prompt_cache_retention"], &body["prompt_cache_options"]), (&day, &options), "{model}");
        assert_eq!(body["prompt_cache_key"].is_string(), cache != CacheRetention::None, "{model}");
    }
}

#[test]
fn the_requests_of_a_conversation_have_one_cache_key() {
    let key = |messages: &[Arc<Message>]| {
        let turns = turns(messages, &model(), true, Responses.ids(&[]));
        body(&Asked { turns, ..asked() })["prompt_cache_key"].take()
    };
    let hello = Arc::new(user(vec![Content::text("Hello.")]));
    let answer = Arc::new(said("gpt-5.6", vec![text("Hi.")]));
    let other = Arc::new(user(vec![Content::text("Bye.")]));
    assert_eq!(key(&[Arc::clone(&hello)]), key(&[hello, answer, Arc::clone(&other)]));
    assert_ne!(key(&[]), key(&[other]));
}

#[test]
fn a_schema_is_that_of_an_object_with_properties_and_without_alternatives() {
    for parameters in [json!({ "type": "object" }), json!({}), json!({ "anyOf": [{ "required": ["a"] }] })] {
        let tools = [tool(parameters)];
        let body = body(&Asked { tools: &tools, ..asked() });
        assert_eq!(body["tools"][0]["parameters"], json!({ "type": "object", "properties": {} }));
    }
}
