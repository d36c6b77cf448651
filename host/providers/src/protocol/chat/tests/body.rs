//! Requests.

use std::sync::Arc;

use seam_loop::Message;
use serde_json::{Value, json};

use super::*;
use crate::conversation::{Answered, Piece, Said, turns};
use crate::settings::Quirk;
use crate::table::Amount;

/// Messages as a session stores them.
fn messages(stored: Value) -> Vec<Arc<Message>> {
    let stored: Vec<Message> = serde_json::from_value(stored).unwrap();
    stored.into_iter().map(Arc::new).collect()
}

fn said(provider: &str, stop: &str, content: Value) -> Value {
    let model = if provider == "here" { "some-model" } else { "foreign" };
    json!({ "role": "assistant", "content": content, "provider": provider, "model": model, "usage": {},
        "stopReason": stop, "timestamp": 0 })
}

fn call(id: &str, arguments: Value) -> Value {
    json!({ "type": "toolCall", "id": id, "name": "look", "arguments": arguments })
}

fn gave(id: &str, is_error: bool, content: Value) -> Value {
    json!({ "role": "toolResult", "toolCallId": id, "toolName": "look", "content": content, "isError": is_error,
        "timestamp": 0 })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn user(content: Value) -> Value {
    json!({ "role": "user", "content": content, "timestamp": 0 })
}

/// A conversation that another model began.
fn rich() -> Vec<Arc<Message>> {
    let picture = json!({ "type": "image", "data": "AQID", "mimeType": "image/png" });
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "thinkingSignature": "proof" });
    messages(json!([
        user(json!([text("What is this?"), picture])),
        said("there", "toolUse", json!([thinking, text("I look."), call("toolu|1", json!({ "path": "a" }))])),
        gave("toolu|1", false, json!([text("a, 1 x 1"), picture])),
        said(
            "here",
            "toolUse",
            json!([
                { "type": "thinking", "thinking": "Two more." },
                call("c2", json!("{\"path\":\"half")),
                call("c3", json!({})),
                call("c4", json!({ "path": "c" })),
            ])
        ),
        gave("c2", true, json!([text("The arguments are not valid JSON.")])),
        gave("c4", false, json!([])),
        said("here", "stop", json!([])),
        user(json!([text("And now?"), text("Quickly.")])),
        said("here", "aborted", json!([text("\n\n")])),
        user(json!([text("Well?")])),
    ]))
}

fn called(id: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": arguments } })
}

/// Bug log 94, 109, 112 and 151.
#[test]
fn a_conversation_that_another_model_began_is_told_as_messages() {
    let (messages, tools) = (rich(), [tool()]);
    let turns = turns(&messages, &model(), true, Chat.ids(&[]));
    let asked = Asked { system: "Be kind.", tools: &tools, ..asked(turns) };
    let body = Chat.body(&asked);
    let made = body.pointer("/messages/2/tool_calls/0/id").and_then(Value::as_str).unwrap();
    assert!(made.starts_with("call_") && made.len() == 29, "{made}");
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AQID" } });
    let no_result = "There is no result: the call was not made, or what came of it is not known.";
    let expected = json!({
        "model": "some-model",
        "stream": true,
        "stream_options": { "include_usage": true },
        "tools": [{ "type": "function", "function": {
            "name": "look",
            "description": "Looks at a file.",
            "parameters": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] },
        } }],
        "messages": [
            { "role": "system", "content": "Be kind." },
            { "role": "user", "content": [text("What is this?"), image] },
            { "role": "assistant", "content": "I look.", "tool_calls": [called(made, r#"{"path":"a"}"#)] },
            { "role": "tool", "tool_call_id": made, "content": "a, 1 x 1" },
            { "role": "user", "content": [text(&format!("What `look` shows, called as {made}:")), image] },
            { "role": "assistant", "content": null, "tool_calls": [
                called("c2", r#"{"invalid_json":"{\"path\":\"half"}"#), called("c3", "{}"), called("c4", r#"{"path":"c"}"#),
            ] },
            { "role": "tool", "tool_call_id": "c2", "content": "The arguments are not valid JSON." },
            { "role": "tool", "tool_call_id": "c3", "content": no_result },
            { "role": "tool", "tool_call_id": "c4", "content": "(no output)" },
            { "role": "user", "content": "And now?\nQuickly.\nWell?" },
        ],
    });
    assert_eq!(body, expected);
}

/// What `messages` are for these turns.
fn told(turns: Vec<Turn<'_>>, quirks: &[Quirk], thinks: bool) -> Value {
    let asked = Asked { quirks, thinks, ..asked(turns) };
    Chat.body(&asked).get("messages").cloned().unwrap()
}

fn picture_from_a_tool<'a>() -> Turn<'a> {
    let content = vec![Piece::Image { data: b"x", mime_type: "image/gif" }];
    Turn::Results(vec![Answered { id: "i".into(), name: "look".into(), content, is_error: false }])
}

#[test]
fn what_a_tool_shows_and_what_the_user_says_then_is_one_message() {
    let turns = vec![picture_from_a_tool(), Turn::User(vec![Piece::Text("Nice?")])];
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/gif;base64,eA==" } });
    let content = json!([text("What `look` shows, called as i:"), image, text("Nice?")]);
    let expected = json!([
        { "role": "tool", "tool_call_id": "i", "content": "(a picture, which follows)" },
        { "role": "user", "content": content },
    ]);
    assert_eq!(told(turns, &[], false), expected);
}

#[test]
fn mistral_gets_an_answer_between_a_result_and_the_user() {
    let messages = told(vec![picture_from_a_tool()], &[Quirk::ShortIds], false);
    assert_eq!(messages.pointer("/1"), Some(&json!({ "role": "assistant", "content": "(interrupted)" })));
    assert_eq!(messages.pointer("/2/role"), Some(&json!("user")));
}

fn thought<'a>(signature: Option<&'a str>) -> Said<'a> {
    Said::Thinking { text: "Hm.", signature, redacted: false }
}

#[test]
fn reasoning_goes_back_only_where_it_is_wanted() {
    let turns = || vec![Turn::Model(vec![thought(None), Said::Text("A.")]), Turn::Model(vec![Said::Text("B.")])];
    let plain = |text: &str| json!({ "role": "assistant", "content": text });
    let with =
        |text: &str, thought: &str| json!({ "role": "assistant", "content": text, "reasoning_content": thought });
    let wanted = [Quirk::ReturnReasoning];
    assert_eq!(told(turns(), &[], true), json!([plain("A."), plain("B.")]));
    assert_eq!(told(turns(), &wanted, true), json!([with("A.", "Hm."), with("B.", "(not kept)")]));
    assert_eq!(told(turns(), &wanted, false), json!([with("A.", "Hm."), plain("B.")]));
    assert_eq!(told(vec![Turn::Model(vec![thought(None)])], &wanted, true), json!([]));
}

#[test]
fn reasoning_with_its_proof_goes_back_to_openrouter_as_it_came() {
    let proof = r#"[{"type":"reasoning.text","text":"Hm.","signature":"s","index":0}]"#;
    let turns = || vec![Turn::Model(vec![thought(None), Said::Text("A."), thought(Some(proof))])];
    let details: Value = serde_json::from_str(proof).unwrap();
    let expected = json!([{ "role": "assistant", "content": "A.", "reasoning_details": details }]);
    assert_eq!(told(turns(), &[Quirk::ReasoningObject], true), expected);
    assert_eq!(told(turns(), &[], true), json!([{ "role": "assistant", "content": "A." }]));
}

#[test]
fn how_much_to_think_is_said_as_the_service_wants_it() {
    use Quirk::{ReasoningObject, ThinkingSwitch};
    let word = |word: &str| Some(Amount::Effort(word.to_owned()));
    for (amount, thinks, quirks, expected) in [
        (None, false, vec![], json!({})),
        (word("low"), true, vec![], json!({ "reasoning_effort": "low" })),
        (word("none"), false, vec![], json!({ "reasoning_effort": "none" })),
        (Some(Amount::Tokens(9)), true, vec![], json!({})),
        (word("high"), true, vec![ReasoningObject], json!({ "reasoning": { "effort": "high" } })),
        (word("none"), false, vec![ReasoningObject], json!({ "reasoning": { "effort": "none" } })),
        (Some(Amount::Tokens(9)), true, vec![ReasoningObject], json!({ "reasoning": { "max_tokens": 9 } })),
        (None, false, vec![ReasoningObject], json!({})),
        (
            word("max"),
            true,
            vec![ThinkingSwitch],
            json!({ "thinking": { "type": "enabled" }, "reasoning_effort": "max" }),
        ),
        (word("disabled"), false, vec![ThinkingSwitch], json!({ "thinking": { "type": "disabled" } })),
        (None, false, vec![ThinkingSwitch], json!({})),
    ] {
        let asked = Asked { thinking: amount.as_ref(), thinks, quirks: &quirks, ..asked(Vec::new()) };
        assert_eq!(rest(&asked), expected, "{amount:?} {thinks} {quirks:?}");
    }
}

#[test]
fn a_limit_and_a_temperature_are_sent_when_somebody_wants_them() {
    let of = |is_limited, thinks, quirks| {
        rest(&Asked { is_limited, thinks, quirks, temperature: Some(0.5), ..asked(Vec::new()) })
    };
    assert_eq!(of(false, false, &[]), json!({ "temperature": 0.5 }));
    assert_eq!(of(true, true, &[]), json!({ "max_tokens": 4096 }));
    assert_eq!(of(true, true, &[Quirk::MaxCompletionTokens]), json!({ "max_completion_tokens": 4096 }));
}

#[test]
fn usage_is_not_asked_for_where_that_is_refused() {
    let asked = Asked { quirks: &[Quirk::NoStreamOptions], ..asked(Vec::new()) };
    assert_eq!(Chat.body(&asked), json!({ "model": "some-model", "messages": [], "stream": true }));
}

#[test]
fn only_models_of_anthropic_at_openrouter_get_caching_marks() {
    let of = |model, cache, quirks| rest(&Asked { model, cache, quirks, ..asked(Vec::new()) });
    let claude = "anthropic/claude-sonnet-5.5";
    let short = json!({ "cache_control": { "type": "ephemeral" } });
    assert_eq!(of(claude, CacheRetention::Short, &[Quirk::ReasoningObject]), short);
    let long = json!({ "cache_control": { "type": "ephemeral", "ttl": "1h" } });
    assert_eq!(of(claude, CacheRetention::Long, &[Quirk::ReasoningObject]), long);
    assert_eq!(of(claude, CacheRetention::None, &[Quirk::ReasoningObject]), json!({}));
    assert_eq!(of(claude, CacheRetention::Long, &[]), json!({}));
    assert_eq!(of("openai/gpt-6-luna", CacheRetention::Long, &[Quirk::ReasoningObject]), json!({}));
}

#[test]
fn mistral_gets_ids_of_nine_characters() {
    let messages = rich();
    let turns = turns(&messages, &model(), true, Chat.ids(&[Quirk::ShortIds]));
    let told = told(turns, &[Quirk::ShortIds], false);
    let id = told.pointer("/1/tool_calls/0/id").and_then(Value::as_str).unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(told.pointer("/2/tool_call_id"), Some(&json!(id)));
}
