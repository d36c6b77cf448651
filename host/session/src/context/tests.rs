use serde_json::{Value, json};

use crate::testing::{Bed, TIME, file, line, said, user};

/// What a file of these lines is reduced to.
fn context(lines: &[String]) -> Value {
    serde_json::to_value(Bed::with(file(lines)).read().context().unwrap()).unwrap()
}

fn messages(lines: &[String]) -> Value {
    context(lines)["messages"].take()
}

fn compaction(id: &str, parent: &str, first: &str, more: Value) -> String {
    let mut fields = json!({ "summary": format!("up to {id}"), "firstKeptEntryId": first, "tokensBefore": 9 });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line("compaction", id, Some(parent), fields)
}

fn summary(id: &str) -> Value {
    json!({ "role": "compactionSummary", "summary": format!("up to {id}"), "tokensBefore": 9, "timestamp": TIME })
}

#[test]
fn an_empty_session_has_an_empty_context() {
    let empty = json!({ "messages": [], "thinkingLevel": "off", "model": null, "activeToolNames": null });
    assert_eq!(context(&[]), empty);
}

#[test]
fn settings_are_the_last_on_the_branch() {
    let assistant = json!({ "message": { "role": "assistant", "provider": "p", "model": "answered", "content": [] } });
    let lines = [
        line("model_change", "a", None, json!({ "provider": "p", "modelId": "chosen" })),
        line("thinking_level_change", "b", Some("a"), json!({ "thinkingLevel": "high" })),
        line("active_tools_change", "c", Some("b"), json!({ "activeToolNames": ["read"] })),
        line("message", "d", Some("c"), assistant),
        line("thinking_level_change", "e", Some("d"), json!({ "thinkingLevel": "low" })),
        line("leaf", "f", Some("e"), json!({ "targetId": "d" })),
    ];
    let context = context(&lines);
    assert_eq!(context["model"], json!({ "provider": "p", "modelId": "answered" }));
    assert_eq!(context["thinkingLevel"], "high");
    assert_eq!(context["activeToolNames"], json!(["read"]));
}

#[test]
fn entries_of_extensions_and_summaries_become_messages() {
    let lines = [
        line(
            "custom_message",
            "a",
            None,
            json!({ "customType": "t", "content": "c", "display": true, "details": null }),
        ),
        line("custom", "b", Some("a"), json!({ "customType": "t", "data": 1 })),
        line("branch_summary", "c", Some("b"), json!({ "fromId": "root", "summary": "left" })),
        line("branch_summary", "d", Some("c"), json!({ "fromId": "root", "summary": "" })),
    ];
    let custom = json!({ "role": "custom", "customType": "t", "content": "c", "display": true, "details": null,
        "timestamp": TIME });
    let branch = json!({ "role": "branchSummary", "summary": "left", "fromId": "root", "timestamp": TIME });
    assert_eq!(messages(&lines), json!([custom, branch]));
}

#[test]
fn a_time_that_is_none_becomes_null() {
    let lines = [line("branch_summary", "a", None, json!({ "summary": "s" })).replace("2026-11-30T", "then ")];
    assert_eq!(messages(&lines), json!([{ "role": "branchSummary", "summary": "s", "timestamp": null }]));
}

#[test]
fn the_last_compaction_counts_and_an_earlier_one_only_if_it_is_kept() {
    let lines = [
        said("a", None, "a"),
        said("b", Some("a"), "b"),
        compaction("c", "b", "b", json!({})),
        said("d", Some("c"), "d"),
        compaction("e", "d", "b", json!({})),
        said("f", Some("e"), "f"),
    ];
    assert_eq!(messages(&lines[..4]), json!([summary("c"), user("b"), user("d")]));
    assert_eq!(messages(&lines), json!([summary("e"), user("b"), summary("c"), user("d"), user("f")]));
    let nothing = compaction("e", "d", "e", json!({}));
    assert_eq!(messages(&[&lines[..4], &[nothing]].concat()), json!([summary("e")]));
}

/// The 1.0.3 dialect: the compaction has the system message, and stands for earlier ones.
#[test]
fn in_the_newer_dialect_a_compaction_replaces_system_messages_and_earlier_compactions() {
    let system = |text: &str| json!({ "role": "system", "content": text });
    let lines = [
        line("message", "a", None, json!({ "message": system("old") })),
        said("b", Some("a"), "b"),
        line("message", "s", Some("b"), json!({ "message": system("later") })),
        compaction("c", "s", "b", json!({ "systemMessage": system("first") })),
        said("d", Some("c"), "d"),
        compaction("e", "d", "b", json!({ "systemMessage": system("whole") })),
        line("message", "f", Some("e"), json!({ "message": system("new") })),
    ];
    let expected = json!([system("whole"), summary("e"), user("b"), user("d"), system("new")]);
    assert_eq!(messages(&lines), expected);
}

#[test]
fn in_the_newer_dialect_the_last_edit_of_an_entry_counts() {
    let edit = |id: &str, parent: &str, target: &str, replacement: Value| {
        line("context_edit", id, Some(parent), json!({ "targetId": target, "replacement": replacement }))
    };
    let result = json!({ "message": { "role": "toolResult", "content": [], "isError": false } });
    let lines = [
        said("a", None, "a"),
        line("message", "b", Some("a"), result),
        said("c", Some("b"), "c"),
        edit("d", "c", "a", json!(null)),
        edit("e", "d", "b", json!(null)),
        edit("f", "e", "b", json!({ "content": "cut" })),
        edit("g", "f", "c", json!({ "content": "C" })),
        line("leaf", "h", Some("g"), json!({ "targetId": "d" })),
        line("leaf", "i", Some("h"), json!({ "targetId": "g" })),
    ];
    let cut = json!({ "role": "toolResult", "content": [{ "type": "text", "text": "cut" }], "isError": false });
    let edited = json!({ "role": "user", "content": "C", "timestamp": 1 });
    assert_eq!(messages(&lines), json!([cut, edited]));
    let before = json!({ "role": "toolResult", "content": [], "isError": false });
    assert_eq!(messages(&lines[..8]), json!([before, user("c")]));
}

#[test]
fn in_the_newer_dialect_missing_content_is_empty() {
    let null = |role: &str| json!({ "message": { "role": role, "content": null } });
    let lines = [
        line("message", "a", None, null("user")),
        line("message", "b", Some("a"), null("system")),
        line("custom_message", "c", Some("b"), json!({ "customType": "t", "display": false })),
        line("usage", "d", Some("c"), json!({ "kind": "x" })),
    ];
    let custom = json!({ "role": "custom", "customType": "t", "content": [], "display": false, "timestamp": TIME });
    let expected = json!([{ "role": "user", "content": [] }, { "role": "system", "content": "" }, custom]);
    assert_eq!(messages(&lines), expected);
    // Without a sign of 1.0.3 it stays as it stands.
    assert_eq!(messages(&lines[..1]), json!([{ "role": "user", "content": null }]));
}
