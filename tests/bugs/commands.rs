//! Shell commands: what a gate on their text sees, and what stands behind it.

use seam_tests::bed::{Bed, text, trail};
use serde_json::json;

const SECRET: &str = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";

/// Spellings of a file with a secret, which a rule on the plain text would miss.
const SPELLINGS: [&str; 6] = [
    "HOME=$PWD; cat $HOME/.ssh/k",
    "HOME=$PWD; cat ${HOME}/.ssh/k",
    "cat .en\"\"v",
    "F=.env; cat $F",
    "cd d && cat .env",
    "cat $(echo .env)",
];

fn secrets() -> Bed {
    Bed::new().file(".env", SECRET).file(".ssh/k", SECRET).file("d/.env", SECRET)
}

#[tokio::test]
async fn a_path_rule_reaches_a_command_that_names_the_path() {
    let session = Bed::new().example("protected-paths", json!({ "secret": ["/etc"] })).start().await;
    for command in ["cat /etc/hosts", "head -1 /etc/hosts", "ls /etc"] {
        let settled = session.call("bash", json!({ "command": command })).await;
        assert_eq!(trail(&settled.decisions), ["protected-paths tool-call block"], "{command}");
    }
}

#[tokio::test]
async fn a_gate_gets_every_command_byte_for_byte() {
    let session = secrets().stress("tells", json!({ "gate": "tell" })).start().await;
    for command in SPELLINGS.into_iter().chain(["echo ok\nrm -rf d", "printf 'a\tb\\n' # \u{e9} \u{202e}"]) {
        let told = text(&session.call("bash", json!({ "command": command })).await);
        let exact = format!("command: {command:?}");
        // The reason loses control characters on its way, but the gate quoted them.
        assert!(told.contains(&exact), "{exact} is not in {told}");
    }
}

#[tokio::test]
async fn a_spelling_the_gate_sees_through_is_refused() {
    let session = secrets().example("protected-paths", json!({})).start().await;
    for command in SPELLINGS {
        let settled = session.call("bash", json!({ "command": command })).await;
        assert_eq!(trail(&settled.decisions), ["protected-paths tool-call block"], "{command}");
    }
}

/// With no gate on commands at all, and with a spelling the gate does not see through.
#[tokio::test]
async fn a_redactor_catches_the_output_of_every_spelling() {
    let bed = secrets().example("protected-paths", json!({ "commands": false }));
    let open = bed.example("redact-secrets", json!({})).start().await;
    let gated = secrets().example("protected-paths", json!({})).example("redact-secrets", json!({})).start().await;
    let calls = SPELLINGS.map(|command| (&open, command)).into_iter().chain([(&gated, "A=.en; cat ${A}v")]);
    for (session, command) in calls {
        let settled = session.call("bash", json!({ "command": command })).await;
        let told = text(&settled);
        assert!(!settled.output.is_error && told.contains("[redacted"), "{command}: {told}");
        assert!(!format!("{settled:?}").contains(SECRET), "{command}");
    }
}

#[tokio::test]
async fn a_newline_separates_commands_for_the_plugins_too() {
    let session = Bed::new().file("d/f", "x").example("safe-delete", json!({})).start().await;
    let settled = session.call("bash", json!({ "command": "echo ok\nrm -rf d" })).await;
    assert!(!settled.output.is_error && !session.workspace.join("d").exists(), "{}", text(&settled));
    let mut moved = std::fs::read_dir(session.workspace.join(".trash")).unwrap();
    assert!(moved.next().unwrap().unwrap().path().join("d/f").exists());

    let session = Bed::new().file(".ssh/k", "x").example("protected-paths", json!({})).start().await;
    session.call("bash", json!({ "command": "echo ok\nrm -rf .ssh" })).await;
    assert!(session.workspace.join(".ssh/k").exists());
}

/// The program is behind a wrapper, in a substitution, behind another command, an argument of `find`.
#[tokio::test]
async fn what_stands_in_front_of_a_program_hides_nothing() {
    let session = Bed::new().file(".ssh/k", "x").example("protected-paths", json!({})).start().await;
    let mode = || std::fs::metadata(session.workspace.join(".ssh")).unwrap().permissions();
    let before = mode();
    for command in [
        "env -i bash -c 'rm -rf .ssh'",
        "time rm -rf .ssh",
        "X=$(touch .ssh/P) true",
        "find .ssh -type f -exec chmod 0777 {} +",
        "true && chmod 0777 .ssh",
    ] {
        let settled = session.call("bash", json!({ "command": command })).await;
        assert_eq!(trail(&settled.decisions), ["protected-paths tool-call block"], "{command}");
    }
    assert_eq!((mode(), std::fs::read_dir(session.workspace.join(".ssh")).unwrap().count()), (before, 1));
}

#[tokio::test]
async fn a_leading_dash_is_no_option_anywhere() {
    let bed = Bed::new().file("p.sh", "#!/bin/sh\ntouch MARK\n").file("f", "a -needle\n--pre=./p.sh\n");
    let session = bed.file("-x", "a -needle\n").file("-d/g", "").start().await;
    let script = format!("--pre={}", session.workspace.join("p.sh").display());
    for (tool, arguments, told) in [
        ("grep", json!({ "pattern": script }), "No matches found."),
        ("grep", json!({ "pattern": "--pre=./p.sh" }), "f:2: --pre=./p.sh"),
        ("grep", json!({ "pattern": "-needle" }), "-x:1: a -needle\nf:1: a -needle"),
        ("grep", json!({ "pattern": "-needle", "path": "-x" }), "-x:1: a -needle"),
        ("grep", json!({ "pattern": "-needle", "glob": "-x" }), "-x:1: a -needle"),
        ("find", json!({ "pattern": "-x" }), "-x"),
        ("find", json!({ "pattern": "--exec=./p.sh" }), "No files found."),
        ("find", json!({ "pattern": "*", "path": "-d" }), "-d/g"),
        ("ls", json!({ "path": "-d" }), "g"),
        ("read", json!({ "path": "-x" }), "a -needle\n"),
        ("bash", json!({ "command": "-x" }), "not found"),
    ] {
        let settled = session.call(tool, arguments.clone()).await;
        let said = text(&settled);
        assert!(if tool == "bash" { said.contains(told) } else { said == told }, "{tool} {arguments}: {said}");
    }
    assert!(!session.workspace.join("MARK").exists());
}
