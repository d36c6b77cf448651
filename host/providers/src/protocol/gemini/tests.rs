//! What is sent to Gemini. What is read is in `reading`.

mod reading;

use std::borrow::Cow;
use std::sync::Arc;

use seam_loop::message::{AssistantMessage, RequestedCall, ToolResultMessage, UserMessage};
use seam_loop::tool::{ExecutionMode, Replay};
use seam_loop::{AssistantBlock, Content, ErrorKind, Message, Model, StopReason, ToolDefinition, Usage};
use serde_json::{Value, json};

use super::Gemini;
use crate::conversation::{Answered, Piece, Said, Turn, turns};
use crate::options::CacheRetention;
use crate::protocol::{Asked, Wire};
use crate::table::Amount;

const NEW: &str = "gemini-3.8-flash";
const OLD: &str = "gemini-2.5-flash-lite";

fn asked<'a>(model: &'a str, turns: Vec<Turn<'a>>) -> Asked<'a> {
    Asked {
        model,
        thinking: None,
        thinks: false,
        can_think: true,
        system: "",
        turns,
        tools: &[],
        max_tokens: 65_536,
        is_limited: false,
        temperature: None,
        cache: CacheRetention::Short,
        quirks: &[],
    }
}

fn hello<'a>(model: &'a str) -> Asked<'a> {
    asked(model, vec![Turn::User(vec![Piece::Text("Hello.")])])
}

fn contents(asked: &Asked<'_>) -> Value {
    Gemini.body(asked)["contents"].clone()
}

fn config(asked: &Asked<'_>) -> Value {
    Gemini.body(asked)["generationConfig"].clone()
}

fn call<'a>(id: &'a str, name: &'a str, arguments: &'a Value, signature: Option<&'a str>) -> Said<'a> {
    Said::Call { id: id.into(), name: name.into(), arguments: Cow::Borrowed(arguments), signature }
}

fn result<'a>(id: &'a str, name: &'a str, content: Vec<Piece<'a>>, is_error: bool) -> Answered<'a> {
    Answered { id: id.into(), name: name.into(), content, is_error }
}

/// What is made of the id `toolu|1`, which may not be one.
const FOREIGN: &str = "call_c3523c4e0fcf9cc6bbba577b";
const PICTURE: Piece<'_> = Piece::Image { data: b"png", mime_type: "image/png" };

fn user(content: Vec<Content>) -> Arc<Message> {
    Arc::new(Message::User(UserMessage { content, timestamp: 0 }))
}

fn says(provider: &str, model: &str, content: Vec<AssistantBlock>) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content,
        provider: provider.to_owned(),
        model: model.to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: StopReason::ToolUse,
        error_message: None,
        error_kind: ErrorKind::Other,
        timestamp: 0,
    }))
}

fn thinks(thinking: &str, signature: Option<&str>) -> AssistantBlock {
    let signature = signature.map(str::to_owned);
    AssistantBlock::Thinking { thinking: thinking.to_owned(), signature, redacted: false }
}

fn calls(id: &str, name: &str, arguments: Value, signature: Option<&str>) -> AssistantBlock {
    let (id, name, signature) = (id.to_owned(), name.to_owned(), signature.map(str::to_owned));
    AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error: None, signature })
}

fn gives(id: &str, name: &str, content: Vec<Content>, is_error: bool) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.to_owned(),
        tool_name: name.to_owned(),
        content,
        details: None,
        structured_content: None,
        usage: None,
        is_error,
        timestamp: 0,
    }))
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: "read".into(),
        description: "Reads a file.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "path": { "type": "string" } },
            "required": ["path"],
            "additionalProperties": false,
        }),
        mode: ExecutionMode::Parallel,
        replay: Replay::Safe,
    }
}

/// A conversation that Claude began and Gemini goes on with.
fn rich() -> Vec<Arc<Message>> {
    let picture = || Content::Image { data: b"png".to_vec(), mime_type: "image/png".to_owned() };
    vec![
        user(vec![Content::text("What is this?"), picture()]),
        says(
            "anthropic",
            "claude-opus-5-5",
            vec![
                thinks("I look.", Some("of-claude")),
                AssistantBlock::Text { text: "I look at both.".to_owned() },
                calls("toolu|1", "read", json!({ "path": "a.png" }), Some("of-claude")),
                calls("toolu_2", "read", json!("{\"path\": \"b"), None),
            ],
        ),
        gives("toolu_2", "read", vec![Content::text("The arguments are not valid JSON.")], true),
        gives("toolu|1", "read", vec![Content::text("a.png"), Content::text("1 x 1"), picture()], false),
        says(
            "google",
            NEW,
            vec![
                thinks("Now b.", Some("sig-1")),
                thinks("As far as I can.", None),
                calls("c1", "read", json!({ "path": "b" }), Some("sig-2")),
                calls("c2", "look", json!({}), None),
            ],
        ),
        gives("c1", "read", vec![], false),
        gives("c2", "look", vec![picture()], false),
        says("google", NEW, vec![AssistantBlock::Text { text: "Red.".to_owned() }, thinks("", Some("sig-3"))]),
        user(vec![Content::text("Thanks."), Content::text("")]),
    ]
}

#[test]
fn a_conversation_that_another_model_began_is_told_as_the_service_takes_it() {
    let (messages, tools) = (rich(), [tool()]);
    let model = Model { provider: "google".to_owned(), id: NEW.to_owned() };
    let thinking = Amount::Effort("high".to_owned());
    let asked = Asked {
        system: "Be kind.",
        tools: &tools,
        thinking: Some(&thinking),
        thinks: true,
        can_think: true,
        ..asked(NEW, turns(&messages, &model, true, Gemini.ids(&[])))
    };
    let picture = json!({ "inlineData": { "mimeType": "image/png", "data": "cG5n" } });
    let foreign = FOREIGN;
    let expected = json!({
        "systemInstruction": { "parts": [{ "text": "Be kind." }] },
        "contents": [
            { "role": "user", "parts": [{ "text": "What is this?" }, picture] },
            { "role": "model", "parts": [
                { "text": "I look at both." },
                {
                    "functionCall": { "id": foreign, "name": "read", "args": { "path": "a.png" } },
                    "thoughtSignature": "skip_thought_signature_validator",
                },
                { "functionCall": { "id": "toolu_2", "name": "read", "args": { "invalid_json": "{\"path\": \"b" } } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": {
                    "id": foreign,
                    "name": "read",
                    "response": { "output": "a.png\n1 x 1" },
                    "parts": [picture],
                } },
                { "functionResponse": {
                    "id": "toolu_2",
                    "name": "read",
                    "response": { "error": "The arguments are not valid JSON." },
                } },
            ] },
            { "role": "model", "parts": [
                { "text": "", "thoughtSignature": "sig-1" },
                {
                    "functionCall": { "id": "c1", "name": "read", "args": { "path": "b" } },
                    "thoughtSignature": "sig-2",
                },
                { "functionCall": { "id": "c2", "name": "look", "args": {} } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "id": "c1", "name": "read", "response": { "output": "(no output)" } } },
                { "functionResponse": {
                    "id": "c2",
                    "name": "look",
                    "response": { "output": "(a picture)" },
                    "parts": [picture],
                } },
            ] },
            { "role": "model", "parts": [{ "text": "Red." }, { "text": "", "thoughtSignature": "sig-3" }] },
            { "role": "user", "parts": [{ "text": "Thanks." }] },
        ],
        "tools": [{ "functionDeclarations": [{
            "name": "read",
            "description": "Reads a file.",
            "parametersJsonSchema": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
                "additionalProperties": false,
            },
        }] }],
        "generationConfig": { "thinkingConfig": { "includeThoughts": true, "thinkingLevel": "high" } },
    });
    assert_eq!(Gemini.body(&asked), expected);
}

#[test]
fn a_request_without_anything_special_says_nothing_special() {
    let expected = json!({ "contents": [{ "role": "user", "parts": [{ "text": "Hello." }] }] });
    assert_eq!(Gemini.body(&hello(NEW)), expected);
}

/// They count what is beside the results as results.
#[test]
fn models_before_gemini_3_get_pictures_behind_all_results_and_need_no_signature() {
    let arguments = json!({});
    let turns = vec![
        Turn::Model(vec![call("c1", "look", &arguments, None), call("c2", "look", &arguments, Some("sig"))]),
        Turn::Results(vec![
            result("c1", "look", vec![Piece::Text("a.png"), PICTURE], false),
            result("c2", "look", vec![Piece::Text("no such file")], true),
        ]),
    ];
    let call = |id: &str| json!({ "id": id, "name": "look", "args": {} });
    let expected = json!([
        { "role": "model", "parts": [
            { "functionCall": call("c1") },
            { "functionCall": call("c2"), "thoughtSignature": "sig" },
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "c1", "name": "look", "response": { "output": "a.png" } } },
            { "functionResponse": { "id": "c2", "name": "look", "response": { "error": "no such file" } } },
        ] },
        { "role": "user", "parts": [
            { "text": "What the call c1 of look shows:" },
            { "inlineData": { "mimeType": "image/png", "data": "cG5n" } },
        ] },
    ]);
    assert_eq!(contents(&asked(OLD, turns)), expected);
}

#[test]
fn each_step_has_its_own_first_call() {
    let arguments = json!({});
    let step = |id: &'static str| {
        let results = vec![result(id, "look", vec![Piece::Text("a")], false)];
        [Turn::Model(vec![call(id, "look", &arguments, None)]), Turn::Results(results)]
    };
    let contents = contents(&asked("models/gemini-4-neon", step("a").into_iter().chain(step("b")).collect()));
    for model in [&contents[0], &contents[2]] {
        assert_eq!(model["parts"][0]["thoughtSignature"], "skip_thought_signature_validator");
    }
}

/// Bug log 151.
#[test]
fn a_turn_in_which_nothing_is_left_to_say_is_left_out() {
    let thinking = Said::Thinking { text: "Hm.", signature: None, redacted: false };
    let turns = vec![
        Turn::User(vec![Piece::Text("Hello.")]),
        Turn::Model(vec![thinking]),
        Turn::User(vec![Piece::Text("")]),
        Turn::User(vec![Piece::Text("Are you there?")]),
    ];
    let user = |text: &str| json!({ "role": "user", "parts": [{ "text": text }] });
    assert_eq!(contents(&asked(NEW, turns)), json!([user("Hello."), user("Are you there?")]));
}

#[test]
fn thinking_is_asked_for_by_budget_or_by_level_and_switched_off_the_same_way() {
    let (budget, none, level, least) =
        (Amount::Tokens(2048), Amount::Tokens(0), Amount::Effort("low".to_owned()), Amount::Effort("off".to_owned()));
    for (thinking, thinks, expected) in [
        (Some(&budget), true, json!({ "thinkingBudget": 2048, "includeThoughts": true })),
        (Some(&level), true, json!({ "thinkingLevel": "low", "includeThoughts": true })),
        (Some(&none), false, json!({ "thinkingBudget": 0 })),
        (Some(&least), false, json!({ "thinkingLevel": "off" })),
    ] {
        let asked = Asked { thinking, thinks, ..hello(OLD) };
        assert_eq!(config(&asked), json!({ "thinkingConfig": expected }));
    }
    assert_eq!(config(&hello(OLD)), Value::Null);
}

#[test]
fn a_limit_is_sent_only_if_somebody_wants_it() {
    assert_eq!(config(&Asked { max_tokens: 100, ..hello(NEW) }), Value::Null);
    let limited = Asked { max_tokens: 100, is_limited: true, ..hello(NEW) };
    assert_eq!(config(&limited), json!({ "maxOutputTokens": 100 }));
}

#[test]
fn a_temperature_is_sent_only_to_models_that_take_one() {
    for model in [OLD, "gemini-1.5-pro", "models/gemini-2.5-flash", "gemma-4"] {
        assert_eq!(config(&Asked { temperature: Some(0.5), ..hello(model) }), json!({ "temperature": 0.5 }), "{model}");
    }
    for model in [NEW, "gemini-3-flash-preview", "gemini-4-neon", "gemini-flash-latest", "models/gemini-4-neon"] {
        assert_eq!(config(&Asked { temperature: Some(0.5), ..hello(model) }), Value::Null, "{model}");
    }
}

/// It keeps the beginnings of requests by itself.
#[test]
fn how_long_a_request_is_kept_changes_nothing() {
    for cache in [CacheRetention::None, CacheRetention::Short, CacheRetention::Long] {
        assert_eq!(Gemini.body(&Asked { cache, ..hello(NEW) }), Gemini.body(&hello(NEW)));
    }
}

#[test]
fn the_model_is_in_the_path_and_the_key_in_its_own_header() {
    assert_eq!(Gemini.path("gemini-4-neon"), "/models/gemini-4-neon:streamGenerateContent?alt=sse");
    assert_eq!(Gemini.path("tunedModels/mine"), "/tunedModels/mine:streamGenerateContent?alt=sse");
    assert_eq!(Gemini.models_path(), "/models");
    assert_eq!(Gemini.headers("m"), []);
    assert_eq!(Gemini.key_header("k"), ("x-goog-api-key", "k".to_owned()));
}

#[test]
fn a_models_name_cannot_leave_its_place() {
    for (name, path) in [
        ("gemini-3.8-flash", "/models/gemini-3.8-flash"),
        ("tunedModels/mine", "/tunedModels/mine"),
        ("../../v1/files?x=", "/_/_/v1/files%3Fx%3D"),
        ("x:streamGenerateContent?key=abc#", "/models/x%3AstreamGenerateContent%3Fkey%3Dabc%23"),
    ] {
        assert_eq!(Gemini.path(name), format!("{path}:streamGenerateContent?alt=sse"));
    }
}
