//! The screen when something goes wrong, and output that nobody can read.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use seam_tests::files;
use serde_json::json;

use super::{Project, call, seam};

/// Runs a command with a stdout that is full. Gives the exit code and what stderr says.
fn with_full_disk(command: &assert_cmd::Command) -> (Option<i32>, String) {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut plain = Command::new(command.get_program());
    plain.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = plain.args(command.get_args()).stdout(Stdio::from(full)).stderr(Stdio::piped()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_told_once_and_the_run_goes_on() {
    const TOLD: &str =
        "seam: the output cannot be written (No space left on device (os error 28)); what follows is not shown\n";
    for args in [&["--json", "go"][..], &["go"]] {
        let turns = json!([
            { "content": [{ "text": "I work." }, call("c1", "bash", json!({ "command": "touch MARK" }))] },
            { "content": [{ "text": "done" }] }
        ]);
        let project = Project::new(&turns);
        assert_eq!(with_full_disk(project.run().args(args)), (Some(1), TOLD.to_owned()));
        assert!(project.path().join("MARK").exists());
    }
    let audit = with_full_disk(seam().arg("audit").arg(files::example("safe-delete")));
    assert_eq!(audit, (Some(1), TOLD.to_owned()));
}

#[test]
fn a_failure_after_the_effect_is_told_as_one() {
    let echo = call("c1", "bash", json!({ "command": "touch MARK" }));
    let project = Project::new(&json!([{ "content": [echo] }, { "content": [] }])).stress(r#"{ patch = "panic" }"#);
    let stdout = project.run().arg("go").assert().success().get_output().stdout.clone();
    let screen = String::from_utf8(stdout).unwrap();
    assert!(screen.contains("; the result is withheld\n") && !screen.contains("not run"), "{screen}");
    assert!(project.path().join("MARK").exists());
}

#[test]
fn calls_with_one_id_are_told_apart() {
    let write = |path: &str| call("c1", "write", json!({ "content": "x", "path": path }));
    let project = Project::new(&json!([{ "content": [write("one"), write("two")] }, { "content": [] }]));
    let stdout = project.run().arg("go").assert().success().get_output().stdout.clone();
    let screen = String::from_utf8(stdout).unwrap();
    let mut calls: Vec<&str> = screen.lines().filter(|line| line.starts_with('→')).collect();
    // They end in either order.
    calls.sort_unstable();
    assert_eq!(calls, [r#"→ write one  content="x""#, r#"→ write two  content="x""#]);
}

/// What a plugin puts into the conversation is shown when it says so, under the plugin's name.
#[test]
fn a_plugins_message_is_shown_under_its_name() {
    let project = Project::new(&json!([{ "content": [{ "text": "done" }] }]));
    std::fs::copy(files::guest("everything"), project.plugins().join("adds.wasm")).unwrap();
    let config = r#"{ before-agent-start = { message = "mind the\u001b[31m gap" }, observe = "quiet" }"#;
    let project = project.file("seam.toml", &format!("[plugins.adds]\nconfig = {config}\n"));
    let screen = project.run().arg("go").assert().success().get_output().stdout.clone();
    let screen = String::from_utf8(screen).unwrap();
    assert!(screen.contains("adds to the conversation:\n    mind the[31m gap\n"), "{screen}");
}
