//! The line "can leak" of plugins whose answer is known.

use std::fs;
use std::path::PathBuf;

use seam_tests::files;
use serde_json::{Value, json};

use super::{audit, audit_with_outside, line, plugin};

/// The line of a plugin that is there, with nothing granted.
fn of(file: PathBuf) -> String {
    line(&audit(&fs::read(file).unwrap(), json!({})))
}

/// The line of a plugin that exports and imports these.
fn made(exports: &[&str], imports: &[&str], grants: Value) -> String {
    line(&audit(&plugin(exports, imports), grants))
}

const HTTP: &str = "wasi:http/outgoing-handler@0.2.6";
const FILES: &str = "wasi:filesystem/types@0.2.6";

#[test]
fn the_example_plugins() {
    insta::assert_snapshot!(of(files::example("protected-paths")), @"no: it sees tool calls, but has no way out of its own; the model reads its words and may act on them");
    insta::assert_snapshot!(of(files::example("redact-secrets")), @"no: it sees tool calls and their results, but has no way out of its own; the model reads its words and may act on them");
    insta::assert_snapshot!(of(files::example("fold-results")), @"no: it sees every message of the conversation, but has no way out of its own; the model reads its words and may act on them");
    insta::assert_snapshot!(of(files::example("safe-delete")), @"yes: tool calls, into arguments of calls and so into commands (every gate sees them, and each rewrite is shown)");
}

#[test]
fn the_plugins_of_the_tests() {
    insta::assert_snapshot!(of(files::guest("observer")), @"no: it sees what the model writes, results as told and who decided, but has no way out; its words reach only you");
    insta::assert_snapshot!(of(files::guest("wasi")), @"no: it sees tool calls, but has no way out of its own; the model reads its words and may act on them");
    insta::assert_snapshot!(of(files::guest("everything")), @"yes: every message of the conversation, whole requests, tool calls and their results, and more, into arguments of calls and so into commands (every gate sees them, and each rewrite is shown); into requests to a provider you set up; whole requests, to the owner of a key it chooses, who may read them at the provider");
}

#[test]
fn a_watcher_that_may_use_the_network_tells_its_hosts() {
    insta::assert_snapshot!(
        made(&["tool-execution-end"], &[HTTP], json!({ "http": ["api.example.com"] })),
        @"yes: results as told and who decided, to `api.example.com`"
    );
    insta::assert_snapshot!(
        made(&["settled"], &["conversation", HTTP], json!({ "http": ["api.example.com", "localhost:8080"] })),
        @"yes: every message of the conversation, to `api.example.com` and `localhost:8080`"
    );
    insta::assert_snapshot!(
        made(&["tool-execution-end"], &[HTTP], json!({})),
        @"yes, if granted: results as told and who decided, to hosts you name"
    );
}

#[test]
fn types_of_http_alone_send_nothing() {
    insta::assert_snapshot!(
        made(&["settled"], &["wasi:http/types@0.2.6"], json!({ "http": ["api.example.com"] })),
        @"no: it sees that the agent is idle, but has no way out and says nothing"
    );
}

#[test]
fn programs_are_a_way_out() {
    insta::assert_snapshot!(
        made(&["tool-call"], &["exec"], json!({ "exec": ["git"] })),
        @"yes: what `git` can read, tool calls, to `git` with any arguments (every gate sees the call)"
    );
    insta::assert_snapshot!(
        made(&["tool-call"], &["exec"], json!({})),
        @"yes, if granted: what programs you name can read, tool calls, to programs you name with any arguments (every gate sees the call)"
    );
}

#[test]
fn tools_are_a_way_out_but_for_those_that_only_look() {
    insta::assert_snapshot!(
        made(&["settled"], &["call-tool"], json!({ "tools": ["read", "ls"] })),
        @"no: it sees files of the workspace (by `read` and `ls`), but has no way out and says nothing"
    );
    insta::assert_snapshot!(
        made(&["settled"], &["call-tool"], json!({ "tools": ["read", "write"] })),
        @"yes: files of the workspace (by `read`), into files of the workspace (by `write`; every gate sees the call)"
    );
    insta::assert_snapshot!(made(&["settled"], &["call-tool"], json!({ "tools": ["bash"] })), @"yes: what any command can read (by `bash`), to any command (by `bash`; every gate sees the call)");
    insta::assert_snapshot!(made(&["settled"], &["call-tool"], json!({ "tools": ["fetch"] })), @"yes: what `fetch` may give, to `fetch` with any arguments (every gate sees the call)");
    insta::assert_snapshot!(made(&["settled"], &["call-tool"], json!({})), @"yes, if granted: what tools you name may give, to tools you name with any arguments (every gate sees the call)");
}

#[test]
fn tools_reach_what_is_outside_the_workspace_where_the_settings_allow_it() {
    let of = |grants: Value, outside: &[&str]| {
        line(&audit_with_outside(&plugin(&["settled"], &["call-tool"]), grants, outside))
    };
    insta::assert_snapshot!(
        of(json!({ "tools": ["read"] }), &["/"]),
        @"no: it sees files of the workspace, and of `/` outside it (by `read`), but has no way out and says nothing"
    );
    insta::assert_snapshot!(
        of(json!({ "tools": ["read", "write"] }), &["/srv/a", "/srv/b"]),
        @"yes: files of the workspace, and of `/srv/a` and `/srv/b` outside it (by `read`), into files of the workspace, and of `/srv/a` and `/srv/b` outside it (by `write`; every gate sees the call)"
    );
}

#[test]
fn files_are_seen_and_are_a_way_out_where_it_may_write() {
    insta::assert_snapshot!(
        made(&["settled"], &[FILES], json!({ "fs": [{ "path": "data" }] })),
        @"no: it sees files in `data`, but has no way out and says nothing"
    );
    insta::assert_snapshot!(
        made(&["settled"], &[FILES], json!({ "fs": [{ "path": "data" }, { "path": "out", "mode": "rw" }] })),
        @"yes: files in `data` and `out`, into files in `out`"
    );
    insta::assert_snapshot!(
        made(&["settled"], &[FILES], json!({})),
        @"no: it sees that the agent is idle, but has no way out and says nothing"
    );
}

#[test]
fn a_question_to_the_model_goes_to_its_provider() {
    insta::assert_snapshot!(
        made(&["tool-result"], &["complete"], json!({ "complete": 5000 })),
        @"yes: tool calls and their results, to the provider of the session's model"
    );
    insta::assert_snapshot!(
        made(&["tool-result"], &["complete"], json!({ "complete": 0 })),
        @"yes, if granted: tool calls and their results, to the provider of the session's model"
    );
}

#[test]
fn variables_are_seen_where_they_are_granted() {
    insta::assert_snapshot!(
        made(&["tool-call"], &["wasi:cli/environment@0.2.6", HTTP], json!({ "env": ["TOKEN"], "http": ["a.example"] })),
        @"yes: the variable `TOKEN`, tool calls, to `a.example`"
    );
    insta::assert_snapshot!(
        made(&["settled"], &["wasi:cli/environment@0.2.6"], json!({ "env": ["TOKEN"] })),
        @"no: it sees the variable `TOKEN`, but has no way out and says nothing"
    );
}

#[test]
fn clocks_and_random_numbers_are_no_way_out() {
    let imports = ["wasi:clocks/wall-clock@0.2.6", "wasi:random/random@0.2.6"];
    insta::assert_snapshot!(
        made(&["settled"], &imports, json!({ "clock": true, "random": true })),
        @"no: it sees that the agent is idle, the time, random numbers, but has no way out and says nothing"
    );
}

#[test]
fn words_stay_with_the_model_the_user_or_the_session() {
    insta::assert_snapshot!(
        made(&["turn-end"], &["messages"], json!({ "messages": true })),
        @"no: it sees that a turn is over, but has no way out of its own; the model reads its words and may act on them"
    );
    insta::assert_snapshot!(
        made(&["turn-end"], &["session", "state"], json!({ "session": true })),
        @"no: it sees that a turn is over, the session's id and name, what it kept in the session before, but has no way out; its words reach only the session's file"
    );
    insta::assert_snapshot!(made(&["turn-end"], &["state", "log"], json!({})), @"no: it sees that a turn is over, what it kept in the session before, but has no way out; its words reach only you and the session's file");
    insta::assert_snapshot!(made(&["turn-end"], &["ui"], json!({ "ui": true })), @"no: it sees what you answer it, but has no way out; its words reach only you");
    insta::assert_snapshot!(made(&["turn-end"], &["models"], json!({ "models": true })), @"no: it sees that a turn is over, the model and the names of tools, but has no way out and says nothing");
    insta::assert_snapshot!(made(&["turn-end"], &["models"], json!({})), @"no: it sees that a turn is over, the model and the names of tools, but has no way out and says nothing");
}

#[test]
fn what_is_granted_and_what_would_have_to_be_are_told_apart() {
    insta::assert_snapshot!(
        made(&["rewrite-tool-call"], &[HTTP], json!({})),
        @"yes: tool calls, into arguments of calls and so into commands (every gate sees them, and each rewrite is shown); and if granted, also to hosts you name"
    );
    insta::assert_snapshot!(
        made(&["tool-call"], &["exec", HTTP], json!({ "exec": ["git"] })),
        @"yes: what `git` can read, tool calls, to `git` with any arguments (every gate sees the call); and if granted, also to hosts you name"
    );
}

#[test]
fn an_import_that_nobody_knows_leaves_the_answer_open() {
    insta::assert_snapshot!(
        made(&["tool-call"], &["acme:net/send@1.0.0"], json!({})),
        @"not known: it sees tool calls, and what `acme:net/send@1.0.0` reaches is not known here"
    );
    insta::assert_snapshot!(made(&[], &["acme:net/send@1.0.0", HTTP], json!({})), @"no: it is never asked anything");
}
