//! What is written and read again; what others write.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use proptest::prelude::*;
use seam_session::{Durability, NewSession, SessionLog};

use super::*;

fn log(folder: &tempfile::TempDir) -> SessionLog {
    SessionLog::create(folder.path().join("s.jsonl"), NewSession::new("/work"), Durability::Never).unwrap()
}

/// These as they stand in a file, read again.
fn read(messages: Vec<Value>) -> Restored {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(&folder);
    for message in messages {
        log.append(NewEntry::Message(message)).unwrap();
    }
    Restored::of(log.session()).unwrap()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z \\n\"\\\\]{0,6}", any::<String>()]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let fields = prop::collection::vec((any_text(), inner.clone()), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Details are there or not: null is nothing.
fn any_details() -> impl Strategy<Value = Option<Value>> {
    prop::option::of(any_value().prop_filter("null is nothing", |value| !value.is_null()))
}

fn any_content() -> impl Strategy<Value = Vec<Content>> {
    let image = (any::<Vec<u8>>(), any_text()).prop_map(|(data, mime_type)| Content::Image { data, mime_type });
    prop::collection::vec(prop_oneof![any_text().prop_map(Content::text), image], 0..3)
}

fn any_usage() -> impl Strategy<Value = Usage> {
    (any::<[u32; 4]>(), -1e9..1e9).prop_map(|([input, output, cache_read, cache_write], cost)| Usage {
        input,
        output,
        cache_read,
        cache_write,
        cost,
    })
}

fn any_assistant() -> impl Strategy<Value = Message> {
    let call = (any_text(), any_text(), any_value(), prop::option::of(any_text())).prop_map(
        |(id, name, arguments, arguments_error)| RequestedCall {
            id,
            name,
            arguments,
            arguments_error,
            signature: None,
        },
    );
    let block = prop_oneof![
        any_text().prop_map(|text| AssistantBlock::Text { text }),
        (any_text(), prop::option::of(any_text())).prop_map(|(thinking, signature)| AssistantBlock::Thinking {
            thinking,
            signature,
            redacted: false
        }),
        call.prop_map(AssistantBlock::ToolCall),
    ];
    let level = prop::option::of(prop::sample::select(vec![ThinkingLevel::Off, ThinkingLevel::Xhigh]));
    let stop = prop::sample::select(vec![
        StopReason::Stop,
        StopReason::Length,
        StopReason::ToolUse,
        StopReason::Deferred,
        StopReason::Aborted,
        StopReason::Error,
    ]);
    let blocks = prop::collection::vec(block, 0..4);
    let names = (any_text(), any_text(), prop::option::of(any_text()));
    (blocks, names, any_usage(), level, stop, any::<u64>()).prop_map(
        |(content, (provider, model, error_message), usage, thinking_level, stop_reason, timestamp)| {
            let said = AssistantMessage {
                content,
                provider,
                model,
                usage,
                thinking_level,
                stop_reason,
                error_message,
                error_kind: seam_loop::ErrorKind::Other,
                timestamp,
            };
            Message::Assistant(said)
        },
    )
}

fn any_result() -> impl Strategy<Value = Message> {
    let structured = any_value().prop_map(|value| if let Value::Object(fields) = value { Some(fields) } else { None });
    let more = (any_details(), structured, prop::option::of(any_usage()), any::<bool>(), any::<u64>());
    (any_text(), any_text(), any_content(), more).prop_map(|(tool_call_id, tool_name, content, more)| {
        let (details, structured_content, usage, is_error, timestamp) = more;
        Message::ToolResult(ToolResultMessage {
            tool_call_id,
            tool_name,
            content,
            details,
            structured_content,
            usage,
            is_error,
            timestamp,
        })
    })
}

fn any_message() -> impl Strategy<Value = Message> {
    let user = (any_content(), any::<u64>())
        .prop_map(|(content, timestamp)| Message::User(UserMessage { content, timestamp }));
    let custom = (any_text(), any_content(), any::<bool>(), any_details()).prop_map(|parts| {
        let (custom_type, content, display, details) = parts;
        Message::Custom(CustomMessage { custom_type, content, display, details, timestamp: 0 })
    });
    prop_oneof![user, any_assistant(), any_result(), custom]
}

proptest! {
    #[test]
    fn nothing_of_a_message_is_lost_when_it_is_read_again(messages in prop::collection::vec(any_message(), 1..5)) {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(&folder);
        for message in &messages {
            log.append(entry(message)).unwrap();
        }
        let read = seam_session::Session::read(log.session().path()).unwrap();
        let mut reader = Reader::default();
        let context = read.context().unwrap().messages.into_iter();
        let mut back: Vec<Message> = context.filter_map(|message| reader.message(message)).collect();
        for message in &mut back {
            if let Message::Custom(custom) = message {
                prop_assert!(std::mem::take(&mut custom.timestamp) > 1_700_000_000_000);
            }
        }
        prop_assert_eq!(back, messages);
        prop_assert_eq!(reader.notices().count(), 0);
    }
}

#[test]
fn an_answer_stands_in_the_file_as_the_reference_writes_it() {
    let call = RequestedCall {
        id: "c1".to_owned(),
        name: "read".to_owned(),
        arguments: json!({ "path": "a" }),
        arguments_error: None,
        signature: None,
    };
    let thinking =
        AssistantBlock::Thinking { thinking: "hm".to_owned(), signature: Some("sig".to_owned()), redacted: false };
    let message = Message::Assistant(AssistantMessage {
        content: vec![thinking, AssistantBlock::ToolCall(call)],
        provider: "p".to_owned(),
        model: "m".to_owned(),
        usage: Usage { input: 1, output: 2, cache_read: 3, cache_write: 4, cost: 0.5 },
        thinking_level: None,
        stop_reason: StopReason::ToolUse,
        error_message: None,
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 7,
    });
    let expected = json!({
        "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "hm", "thinkingSignature": "sig" },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "path": "a" } }
        ],
        "api": "p", "provider": "p", "model": "m",
        "usage": {
            "input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10,
            "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5 }
        },
        "stopReason": "toolUse", "timestamp": 7
    });
    assert_eq!(written(&message), expected);
}

/// What the model reads of each message, and what is said of those it does not.
fn shown(restored: &Restored) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User(user) => user.content[0].as_text().unwrap().to_owned(),
        other => format!("{other:?}"),
    };
    restored.messages.iter().map(text).chain(restored.notices.clone()).collect()
}

#[test]
fn messages_that_only_others_write_are_said_by_the_user_or_left_out_with_a_notice() {
    let restored = read(vec![
        json!({ "role": "user", "content": "plain" }),
        json!({ "role": "bashExecution", "command": "ls", "output": "a", "exitCode": 2, "truncated": true }),
        json!({ "role": "bashExecution", "command": "true", "output": "", "exitCode": 0, "cancelled": true }),
        json!({ "role": "bashExecution", "command": "secret", "output": "x", "excludeFromContext": true }),
        json!({ "role": "compactionSummary", "summary": "much" }),
        json!({ "role": "branchSummary", "summary": "aside" }),
        json!({ "role": "system", "content": "obey" }),
        json!({ "role": "system", "content": "obey more" }),
        json!({ "role": "user", "content": [{ "type": "text", "text": "seen" }, { "type": "film" }] }),
    ]);
    assert_eq!(
        shown(&restored),
        [
            "plain",
            "I ran `ls`:\n```\na\n```\n\nIt ended with exit code 2.\n\nThe output was cut.",
            "I ran `true`:\n(no output)\n\nIt was cancelled.",
            "What was said before this is not shown. In short:\n\n<summary>\nmuch\n</summary>",
            "Another way was tried here and left. In short:\n\n<summary>\naside\n</summary>",
            "seen",
            "1 × block of the type `film` that cannot be read: the model is not shown it",
            "2 × message of the role `system`: the model is not shown it",
        ]
    );
}

fn calls(ids: &[&str], stop: &str) -> Value {
    let call = |id: &&str| json!({ "type": "toolCall", "id": id, "name": "bash", "arguments": null });
    let content: Vec<Value> = ids.iter().map(call).collect();
    json!({ "role": "assistant", "provider": "p", "model": "m", "content": content, "stopReason": stop })
}

fn result(id: &str) -> Value {
    json!({ "role": "toolResult", "toolCallId": id, "toolName": "bash", "content": [{ "type": "text", "text": "ok" }] })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Calls as `c1?`, results as `c1`, those that say that it was interrupted as `c1!`, texts.
fn outline(restored: &Restored) -> String {
    let word = |message: &Message| match message {
        Message::User(user) => user.content[0].as_text().unwrap().to_owned(),
        Message::Assistant(said) => said.tool_calls().map(|call| format!("{}?", call.id)).collect::<Vec<_>>().join(" "),
        Message::ToolResult(result) => format!("{}{}", result.tool_call_id, if result.is_error { "!" } else { "" }),
        Message::Custom(_) => String::new(),
    };
    let open = restored.open.iter().map(|call| format!("open {}", call.id));
    let words: Vec<String> = restored.messages.iter().map(word).chain(open).collect();
    words.join(" ")
}

/// Bug log 92.
#[test]
fn every_call_has_one_result_right_behind_it_whatever_the_file_has() {
    for (messages, outlined, notices) in [
        (vec![user("a"), calls(&["c1", "c2"], "toolUse")], "a c1? c2? open c1 open c2", 0),
        (vec![calls(&["c1", "c2"], "toolUse"), result("c1")], "c1? c2? c1 open c2", 0),
        (vec![calls(&["c1"], "toolUse"), user("b")], "c1? c1! b", 1),
        (vec![calls(&["c1"], "toolUse"), user("b"), result("c1")], "c1? c1 b", 0),
        (vec![calls(&["c1"], "toolUse"), calls(&["c2"], "toolUse"), result("c2")], "c1? c1! c2? c2", 1),
        (vec![result("c1"), calls(&["c1"], "toolUse"), result("c1"), result("c1"), user("b")], "c1? c1 b", 2),
        (vec![user("a"), result("c9"), user("b")], "a b", 1),
        // What a model did not say to its end was never made.
        (vec![calls(&["c1"], "aborted"), user("b"), calls(&["c2"], "error")], "c1? b c2?", 0),
    ] {
        let restored = read(messages);
        assert_eq!((&*outline(&restored), restored.notices.len()), (outlined, notices), "{:?}", restored.notices);
    }
}

#[test]
fn a_result_that_is_left_out_and_a_call_without_one_are_told() {
    let restored = read(vec![calls(&["c1"], "toolUse"), user("b"), result("c9")]);
    assert_eq!(
        restored.notices,
        [
            "result `c9` of `bash` answers no open call: the model is not shown it",
            "call `c1` of `bash` has no result: the model is told that it was interrupted"
        ]
    );
}
