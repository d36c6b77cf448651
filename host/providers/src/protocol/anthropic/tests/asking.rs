//! Requests.

use std::sync::Arc;

use seam_loop::message::{RequestedCall, ToolResultMessage, UserMessage};
use seam_loop::tool::{ExecutionMode, Replay};
use seam_loop::{AssistantBlock, Content, Message, StopReason, ToolDefinition, Usage};

use super::*;
use crate::conversation::turns;
use crate::options::CacheRetention;
use crate::table::Amount;

fn text(text: &str) -> Content {
    Content::Text { text: text.to_owned() }
}

fn picture() -> Content {
    Content::Image { data: b"picture".to_vec(), mime_type: "image/png".to_owned() }
}

fn user(content: Vec<Content>) -> Arc<Message> {
    Arc::new(Message::User(UserMessage { content, timestamp: 1 }))
}

fn said(model: &str, content: Vec<AssistantBlock>) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content,
        provider: "anthropic".to_owned(),
        model: model.to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: StopReason::ToolUse,
        error_message: None,
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 1,
    }))
}

fn thinking(text: &str, signature: Option<&str>, redacted: bool) -> AssistantBlock {
    AssistantBlock::Thinking { thinking: text.to_owned(), signature: signature.map(str::to_owned), redacted }
}

fn calls(id: &str, name: &str, arguments: Value) -> AssistantBlock {
    let (id, name) = (id.to_owned(), name.to_owned());
    AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error: None, signature: None })
}

fn result(id: &str, content: Vec<Content>, is_error: bool) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.to_owned(),
        tool_name: "read".to_owned(),
        content,
        details: None,
        structured_content: None,
        usage: None,
        is_error,
        timestamp: 1,
    }))
}

fn tool(name: &str, parameters: Value) -> ToolDefinition {
    let (name, description) = (name.into(), format!("What {name} does."));
    ToolDefinition { name, description, parameters, mode: ExecutionMode::Parallel, replay: Replay::Never }
}

fn asked<'a>(messages: &'a [Arc<Message>], tools: &'a [ToolDefinition]) -> Asked<'a> {
    Asked {
        model: MODEL,
        thinking: None,
        thinks: false,
        can_think: true,
        system: "Be kind.",
        turns: turns(messages, &model("anthropic", MODEL), true, Anthropic.ids(&[])),
        tools,
        max_tokens: 32_000,
        is_limited: false,
        temperature: None,
        cache: CacheRetention::None,
        quirks: &[],
    }
}

/// The user asks, the model thinks and calls, and the result came.
fn called(thinks: bool) -> Vec<Arc<Message>> {
    let mut blocks = vec![calls("toolu_1", "read", json!({}))];
    if thinks {
        blocks.insert(0, thinking("Hm.", Some("sig"), false));
    }
    vec![user(vec![text("Go.")]), said(MODEL, blocks), result("toolu_1", vec![text("ok")], false)]
}

#[test]
fn a_request_goes_to_messages_with_version_and_key() {
    assert_eq!(Anthropic.path(MODEL), "/messages");
    assert_eq!(Anthropic.models_path(), "/models");
    assert_eq!(Anthropic.headers("claude-opus-5"), [("anthropic-version", "2023-06-01")]);
    assert_eq!(Anthropic.key_header("sk-1"), ("x-api-key", "sk-1".to_owned()));
}

fn rich() -> Vec<Arc<Message>> {
    vec![
        user(vec![text("Look at this."), picture(), text("  ")]),
        said(
            "claude-opus-5",
            vec![
                thinking("Another model's.", Some("foreign"), false),
                AssistantBlock::Text { text: "I look.".to_owned() },
                calls("functions.read:0|x", "read", json!({ "path": "a" })),
                calls("toolu_2", "", json!("{\"path\": \"half")),
                calls("toolu_3", "my tool/é", json!([1])),
            ],
        ),
        result("functions.read:0|x", vec![text("It is blue."), picture()], false),
        result("toolu_2", vec![text("There is no such tool."), picture()], true),
        result("toolu_3", vec![text("")], false),
        user(vec![text("Quickly!")]),
        said(
            MODEL,
            vec![
                thinking("Not proven.", None, false),
                thinking("Hm.", Some("sig-1"), false),
                thinking("", Some("hidden"), true),
                thinking("", Some("sig-2"), false),
                AssistantBlock::Text { text: "\n\n".to_owned() },
                calls("toolu_4", "read", json!({ "path": "b" })),
            ],
        ),
        result("toolu_4", vec![], false),
    ]
}

#[test]
fn a_rich_conversation_is_told_as_the_service_reads_it() {
    let tools = [
        tool("read", json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] })),
        tool("odd", json!({ "properties": {}, "anyOf": [{ "required": ["a"] }] })),
    ];
    let messages = rich();
    let image =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "cGljdHVyZQ==" } });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let body = Anthropic.body(&asked(&messages, &tools));
    let cleaned = body["messages"][1]["content"][1]["id"].clone();
    assert!(cleaned.as_str().unwrap().starts_with("call_"), "{cleaned}");
    let expected = json!({
        "model": MODEL,
        "max_tokens": 32_000,
        "stream": true,
        "system": [{ "type": "text", "text": "Be kind." }],
        "tools": [
            { "name": "read", "description": "What read does.", "input_schema":
                { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] } },
            { "name": "odd", "description": "What odd does.", "input_schema": { "type": "object", "properties": {} } },
        ],
        "messages": [
            { "role": "user", "content": [text("Look at this."), image] },
            { "role": "assistant", "content": [
                text("I look."),
                { "type": "tool_use", "id": cleaned, "name": "read", "input": { "path": "a" } },
                { "type": "tool_use", "id": "toolu_2", "name": "unnamed",
                    "input": { "invalid_json": "{\"path\": \"half" } },
                { "type": "tool_use", "id": "toolu_3", "name": "my_tool__", "input": { "invalid_json": "[1]" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": cleaned, "content": [text("It is blue."), image] },
                { "type": "tool_result", "tool_use_id": "toolu_2", "content": [text("There is no such tool.")],
                    "is_error": true },
                { "type": "tool_result", "tool_use_id": "toolu_3", "content": [text("(no output)")] },
                text("[Pictures of the failed call toolu_2]"),
                image,
                text("Quickly!"),
            ] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "sig-1" },
                { "type": "redacted_thinking", "data": "hidden" },
                { "type": "thinking", "thinking": "", "signature": "sig-2" },
                { "type": "tool_use", "id": "toolu_4", "name": "read", "input": { "path": "b" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_4", "content": [text("(no output)")] },
            ] },
        ],
    });
    assert_eq!(body, expected);
}

/// Bug log 151.
#[test]
fn an_empty_answer_is_not_sent_and_the_user_goes_on() {
    let mut messages = called(false);
    messages.extend([said(MODEL, vec![]), said(MODEL, vec![thinking("Hm.", None, false)]), user(vec![text("Well?")])]);
    let body = Anthropic.body(&asked(&messages, &[]));
    let roles: Vec<&Value> = body["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let result =
        json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": [{ "type": "text", "text": "ok" }] });
    assert_eq!(body["messages"][2]["content"], json!([result, { "type": "text", "text": "Well?" }]));
}

#[test]
fn without_a_system_prompt_and_tools_neither_is_sent() {
    let messages = [user(vec![text("Hello.")])];
    let body = Anthropic.body(&Asked { system: " \n", ..asked(&messages, &[]) });
    let content = json!([{ "type": "text", "text": "Hello." }]);
    let messages = json!([{ "role": "user", "content": content }]);
    assert_eq!(body, json!({ "model": MODEL, "max_tokens": 32_000, "stream": true, "messages": messages }));
}

/// What a request says of thinking, and of the temperature: `[thinking, output_config, temperature]`.
fn told(thinking: Option<Amount>, thinks: bool, change: impl FnOnce(&mut Asked<'_>)) -> Value {
    let messages = [user(vec![text("Hello.")])];
    let mut asked = Asked { thinking: thinking.as_ref(), thinks, temperature: Some(0.5), ..asked(&messages, &[]) };
    asked.model = "claude-haiku-4-5";
    change(&mut asked);
    let body = Anthropic.body(&asked);
    json!([body["thinking"], body["output_config"], body["temperature"]])
}

#[test]
fn thinking_is_asked_for_by_effort_or_by_budget_or_switched_off() {
    let effort = |word: &str| Some(Amount::Effort(word.to_owned()));
    let adaptive = json!({ "type": "adaptive", "display": "summarized" });
    assert_eq!(told(effort("xhigh"), true, |_| ()), json!([adaptive, { "effort": "xhigh" }, null]));
    assert_eq!(told(effort("between_tools"), false, |_| ()), json!([{ "type": "between_tools" }, null, 0.5]));
    assert_eq!(told(effort("disabled"), false, |_| ()), json!([{ "type": "disabled" }, null, 0.5]));
    let budget = |tokens: u32| json!([{ "type": "enabled", "budget_tokens": tokens }, null, null]);
    assert_eq!(told(Some(Amount::Tokens(20_480)), true, |_| ()), budget(20_480));
    assert_eq!(told(Some(Amount::Tokens(10)), true, |_| ()), budget(1024));
    assert_eq!(told(Some(Amount::Tokens(0)), false, |_| ()), json!([null, null, 0.5]));
    assert_eq!(told(None, true, |_| ()), json!([null, null, 0.5]));
    assert_eq!(told(None, false, |_| ()), json!([null, null, 0.5]));
}

#[test]
fn a_budget_leaves_room_for_the_answer() {
    let told = |max_tokens| told(Some(Amount::Tokens(4096)), true, |asked| asked.max_tokens = max_tokens);
    let budget = |tokens: u32| json!([{ "type": "enabled", "budget_tokens": tokens }, null, null]);
    assert_eq!(told(5120), budget(4096));
    assert_eq!(told(5119), budget(4095));
    assert_eq!(told(2048), budget(1024));
    for too_few in [2047, 1024, 1] {
        assert_eq!(told(too_few), json!([null, null, 0.5]), "{too_few}");
    }
}

#[test]
fn a_budget_is_given_in_the_middle_of_calls_only_if_the_model_thought_before_them() {
    let amount = Amount::Tokens(4096);
    let thinks = |messages: &[Arc<Message>]| {
        Anthropic
            .body(&Asked { thinking: Some(&amount), thinks: true, ..asked(messages, &[]) })
            .get("thinking")
            .is_some()
    };
    let next = || [said(MODEL, vec![calls("toolu_2", "read", json!({}))]), result("toolu_2", vec![], false)];
    let over = || [said(MODEL, vec![AssistantBlock::Text { text: "Done.".to_owned() }]), user(vec![text("More.")])];
    assert!(thinks(&called(true)));
    assert!(thinks(&[called(true), next().to_vec()].concat()), "it does not think again behind results");
    assert!(!thinks(&called(false)));
    assert!(!thinks(&[called(false), next().to_vec()].concat()));
    assert!(!thinks(&[called(false), vec![user(vec![text("Quickly!")])]].concat()), "that is still the same turn");
    assert!(thinks(&[called(false), over().to_vec()].concat()), "a new turn");
    assert!(!thinks(&[called(true), over().to_vec(), next().to_vec()].concat()));
    let effort = Amount::Effort("low".to_owned());
    let messages = called(false);
    let body = Anthropic.body(&Asked { thinking: Some(&effort), thinks: true, ..asked(&messages, &[]) });
    assert_eq!(body["output_config"], json!({ "effort": "low" }), "with an effort it does not matter");
}

#[test]
fn a_temperature_goes_to_models_that_take_it() {
    let takes = |name: &str| {
        let messages = [user(vec![text("Hello.")])];
        let asked = Asked { model: name, temperature: Some(0.0), ..asked(&messages, &[]) };
        Anthropic.body(&asked).get("temperature").is_some()
    };
    for name in [
        "claude-3-5-haiku-20241022",
        "claude-sonnet-4-20250514",
        "claude-opus-4-5-20251101",
        "claude-opus-4-6",
        "claude-haiku-4-5@20251001",
        "glm-5",
    ] {
        assert!(takes(name), "{name}");
    }
    for name in
        ["claude-opus-4-7", "claude-opus-4.8", "claude-sonnet-5", "anthropic/claude-opus-5-5", "claude-fable-5-1"]
    {
        assert!(!takes(name), "{name}");
    }
}

/// The places of all marks in a body, and the marks.
fn marks(value: &Value, place: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("cache_control").map(|mark| (place.to_owned(), mark.clone())));
            fields.iter().for_each(|(name, value)| marks(value, &format!("{place}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, value)| marks(value, &format!("{place}/{n}"), found));
        }
        _ => {}
    }
}

#[test]
fn prompt_tools_and_the_last_two_turns_of_the_user_are_marked_for_the_cache() {
    let messages = rich();
    let tools = [tool("read", json!({ "type": "object" })), tool("write", json!({ "type": "object" }))];
    for (cache, mark) in [
        (CacheRetention::Short, Some(json!({ "type": "ephemeral" }))),
        (CacheRetention::Long, Some(json!({ "type": "ephemeral", "ttl": "1h" }))),
        (CacheRetention::None, None),
    ] {
        let mut found = Vec::new();
        marks(&Anthropic.body(&Asked { cache, ..asked(&messages, &tools) }), "", &mut found);
        let places = ["/messages/2/content/5", "/messages/4/content/0", "/system/0", "/tools/1"];
        let expected = places.iter().filter_map(|place| Some(((*place).to_owned(), mark.clone()?)));
        found.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{cache:?}");
    }
}

#[test]
fn the_limit_is_sent_whether_somebody_wants_it_or_not() {
    let messages = [user(vec![text("Hello.")])];
    for (is_limited, max_tokens) in [(false, 64_000), (true, 100)] {
        let body = Anthropic.body(&Asked { is_limited, max_tokens, ..asked(&messages, &[]) });
        assert_eq!(body["max_tokens"], max_tokens);
    }
}

/// Their thinking is refused for ever behind a conversation that was compacted.
#[test]
fn models_whose_thinking_is_bound_are_told_to_drop_it() {
    let (messages, effort) = ([], Amount::Effort("high".to_owned()));
    for (model, is_bound) in [("claude-opus-5-5", true), ("claude-fable-5-1-20260801", true), ("claude-opus-5", false)]
    {
        let asked = Asked { model, thinking: Some(&effort), thinks: true, ..asked(&messages, &[]) };
        let binding = &Anthropic.body(&asked)["thinking"]["block_binding"];
        let drops = json!({ "prefix_mismatch_behavior": "drop_block" });
        assert_eq!(*binding, if is_bound { drops } else { Value::Null }, "{model}");
        assert_eq!(Anthropic.headers(model).len(), if is_bound { 2 } else { 1 });
    }
}
