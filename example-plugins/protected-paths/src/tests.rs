#![allow(clippy::unwrap_used)]

use seam::testing::{Value, call, json};
use seam::{ToolCall, ToolCallGate, Verdict};

use crate::ProtectedPaths;

fn gate(config: Value) -> ProtectedPaths {
    seam::testing::set_config(config);
    seam::config::read()
}

fn reason(call: &ToolCall) -> Option<String> {
    reason_of(&mut gate(json!({})), call)
}

fn reason_of(gate: &mut ProtectedPaths, call: &ToolCall) -> Option<String> {
    match gate.decide(call) {
        Verdict::Block(refusal) => Some(refusal.reason),
        Verdict::Ask(question) => Some(format!("ask: {question}")),
        Verdict::Proceed => None,
    }
}

fn read(given: &str, resolved: &str) -> ToolCall {
    call("read", json!({ "path": given })).reading(given, resolved)
}

fn write(given: &str, resolved: &str) -> ToolCall {
    call("write", json!({ "path": given, "content": "" })).writing(given, resolved)
}

fn bash(command: &str) -> ToolCall {
    call("bash", json!({ "command": command }))
}

#[test]
fn the_defaults_protect_secrets_by_their_common_names() {
    for path in [
        "/workspace/.env",
        "/workspace/app/.env.production",
        "/home/me/.ssh/id_ed25519",
        "/home/me/.ssh",
        "/home/me/.aws/credentials",
        "/workspace/deep/er/tls.pem",
    ] {
        assert!(reason(&read(path, path)).is_some(), "read {path}");
        assert!(reason(&write(path, path)).is_some(), "write {path}");
    }
}

#[test]
fn the_defaults_leave_ordinary_files_alone() {
    for path in [
        "/workspace/src/main.rs",
        "/workspace/.env.example",
        "/workspace/environment",
        "/workspace/.envrc",
        "/workspace/src/ssh.rs",
        "/workspace/keys.rs",
    ] {
        assert_eq!(reason(&write(path, path)), None, "{path}");
    }
}

#[test]
fn read_only_files_are_read_and_not_written() {
    let path = "/workspace/.git/config";
    assert_eq!(reason(&read(path, path)), None);
    assert_eq!(reason(&write(path, path)).unwrap(), "`/workspace/.git/config` is protected by `.git`: reading only");
}

#[test]
fn the_reason_names_the_path_and_the_pattern() {
    assert_eq!(
        reason(&read(".env", "/workspace/.env")).unwrap(),
        "`/workspace/.env` is protected by `.env`: no reading, no writing"
    );
}

#[test]
fn a_link_is_judged_by_where_it_leads_and_by_its_own_name() {
    assert!(reason(&read("notes.txt", "/home/me/.ssh/config")).is_some());
    assert!(reason(&read(".env", "/workspace/other.txt")).is_some());
}

#[test]
fn a_path_that_cannot_be_resolved_is_refused() {
    let call = call("write", json!({ "path": "loop/x" })).unresolved("loop/x", "too many links");
    assert_eq!(reason(&call).unwrap(), "`loop/x` could not be resolved, so it cannot be judged");
}

#[test]
fn every_path_of_a_call_is_judged() {
    assert!(reason(&read("a", "/workspace/a").writing("b", "/workspace/.env")).is_some());
}

#[test]
fn patterns_follow_gitignore() {
    let table = [
        ("secrets/", "/workspace/secrets/a/b", true),
        ("secrets/", "/workspace/secrets", true),
        ("**/.ssh/**", "/home/me/.ssh/k", true),
        ("config/prod", "/workspace/config/prod/db.toml", true),
        ("config/prod", "/workspace/config/production", false),
        ("~/.config/gh", "/home/me/.config/gh/hosts.yml", true),
        ("/etc", "/etc/hosts", true),
        ("/etc", "/workspace/etc/hosts", false),
        ("*.key", "/workspace/a.key", true),
        ("*.key", "/workspace/a.keys", false),
        ("file?", "/workspace/file1", true),
        ("[ab].txt", "/workspace/b.txt", true),
    ];
    for (pattern, path, protected) in table {
        let mut gate = gate(json!({ "secret": [pattern], "read-only": [] }));
        assert_eq!(reason_of(&mut gate, &read(path, path)).is_some(), protected, "{pattern} on {path}");
    }
}

#[test]
fn the_last_pattern_that_matches_decides() {
    let mut gate = gate(json!({ "secret": ["*.txt", "!open.txt", "x/open.txt"] }));
    assert!(reason_of(&mut gate, &read("a", "/w/a.txt")).is_some());
    assert!(reason_of(&mut gate, &read("a", "/w/open.txt")).is_none());
    assert!(reason_of(&mut gate, &read("a", "/w/x/open.txt")).is_some());
}

#[test]
fn a_path_rule_reaches_into_plain_commands() {
    let mut gate = gate(json!({ "secret": ["/etc"] }));
    for command in ["cat /etc/hosts", "head -1 /etc/hosts", "ls /etc", "grep x </etc/hosts"] {
        assert!(reason_of(&mut gate, &bash(command)).is_some(), "{command}");
    }
}

#[test]
fn shell_spellings_of_a_plain_name_are_seen() {
    for command in [
        "cat $HOME/.ssh/k",
        "cat ${HOME}/.ssh/k",
        "cat .en\"\"v",
        "cat '.env'",
        "cat .e\\nv",
        "F=.env; cat $F",
        "cd d && cat .env",
        "cat $(echo .env)",
        "echo ok\ncat .env",
        "env -i bash -c 'cat .env'",
        "X=$(cat .env) true",
        "find . -name .env -exec cat {} +",
        "curl -d @x --key=tls.pem",
    ] {
        assert!(reason(&bash(command)).is_some(), "{command}");
    }
}

#[test]
fn commands_that_hide_the_name_pass_and_the_readme_says_so() {
    for command in ["cat .e*", "A=.en; cat ${A}v", "cat $(echo LmVudgo= | base64 -d)"] {
        assert_eq!(reason(&bash(command)), None, "{command}");
    }
}

#[test]
fn a_command_that_names_a_read_only_path_is_asked_about() {
    assert_eq!(
        reason(&bash("cat .git/config")).unwrap(),
        "ask: The command names `.git/config`, read-only by `.git`. Run it?"
    );
    assert_eq!(reason(&bash("git status && cargo test")), None);
}

#[test]
fn commands_are_left_alone_when_the_settings_say_so() {
    assert_eq!(reason_of(&mut gate(json!({ "commands": false })), &bash("cat .env")), None);
}

#[test]
#[should_panic(expected = "unknown field `secrets`")]
fn a_misspelt_setting_is_an_error_and_no_decision() {
    gate(json!({ "secrets": [] }));
}

#[test]
#[should_panic(expected = "pattern `[ab`")]
fn a_malformed_pattern_is_an_error_and_no_decision() {
    gate(json!({ "secret": ["[ab"] }));
}
