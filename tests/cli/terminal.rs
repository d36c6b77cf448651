//! `seam` at a real terminal.

use std::process::Output;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};

use super::seam;

/// Runs a command at a terminal, where somebody waits for texts and types others.
pub(super) fn at_terminal(command: &Command, steps: &Value) -> (Option<i32>, String) {
    let mut python = Command::new("python3");
    python.arg(files::root().join("tests/cli/at_terminal.py")).arg(steps.to_string());
    python.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => python.env(name, value),
            None => python.env_remove(name),
        };
    }
    let Output { status, stdout, .. } = python.output().expect("python3 is there");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned())
}

#[test]
fn an_audit_works_at_a_terminal() {
    let mut audit = seam();
    audit.env_remove("NO_COLOR").arg("audit").arg(files::root().join("target/plugins"));
    let (code, screen) = at_terminal(&audit, &json!([]));
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\u{1b}[1mprotected-paths\u{1b}[0m"), "{screen}");
}
