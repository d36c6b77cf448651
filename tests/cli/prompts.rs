//! `seam run` without a prompt: it reads them from standard input.

mod typed;

use serde_json::{Value, json};

use super::dialog::{Dialog, of_type};
use super::stopping::{kill, until};
use super::{Project, call};

fn says(text: &str) -> Value {
    json!({ "content": [{ "text": text }] })
}

/// How each prompt ended.
fn exits(events: &[Value]) -> Vec<(u64, u64)> {
    let ends = of_type(events, "prompt_end");
    ends.iter().map(|end| (end["prompt"].as_u64().unwrap(), end["exit"].as_u64().unwrap())).collect()
}

#[test]
fn each_line_is_a_run_in_the_same_session() {
    let project = Project::new(&json!([says("first"), says("second")]));
    let output = project.run().write_stdin("one\n\n  \ntwo").assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    let (_, said) = output.split_once("session: ").unwrap();
    assert_eq!(&said[14..], "first\n\nsecond\n\n", "{output}");

    let project = Project::new(&json!([says("first"), says("second")]));
    let mut dialog = Dialog::of(&project);
    let first = dialog.say("one");
    let second = dialog.say("two");
    let (code, end, errors) = dialog.end();
    assert_eq!((code, &*errors), (Some(0), ""));
    assert_eq!((exits(&first), exits(&second)), (vec![(1, 0)], vec![(2, 0)]));
    assert_eq!(of_type(&first, "session").len() + of_type(&second, "session").len(), 1);
    assert_eq!((of_type(&first, "session_start").len(), of_type(&second, "session_start").len()), (1, 0));
    assert_eq!(end.last().unwrap()["type"], "session_shutdown");
    let path = of_type(&first, "session")[0]["path"].as_str().unwrap();
    let kept = std::fs::read_to_string(path).unwrap();
    assert_eq!(kept.lines().filter(|line| line.contains("\"role\":\"user\"")).count(), 2);
}

#[test]
fn commands_of_the_user_are_prompts_too() {
    let project = Project::new(&json!([says("hello")]));
    let mut dialog = Dialog::of(&project);
    let events = dialog.say("!touch MADE\r");
    assert!(project.path().join("MADE").exists(), "{}", dialog.errors());
    assert_eq!(of_type(&events, "tool_execution_end").len(), 1);
    assert_eq!(exits(&dialog.say("!exit 3")), [(2, 1)]);
    assert_eq!(exits(&dialog.say("go")), [(3, 0)]);
    assert_eq!(dialog.end().0, Some(1), "the code of the first that did not end well");
}

#[test]
fn a_failed_run_ends_no_session() {
    let project = Project::new(&json!([{ "error": "overloaded" }, says("fine")]));
    let mut dialog = Dialog::of(&project);
    assert_eq!(exits(&dialog.say("one")), [(1, 1)]);
    assert_eq!(exits(&dialog.say("two")), [(2, 0)]);
    let (code, _, errors) = dialog.end();
    assert_eq!((code, &*errors), (Some(1), "seam: the run failed: overloaded\n"));
}

#[test]
fn a_line_that_is_no_prompt_is_told_and_the_next_is_heard() {
    let project = Project::new(&json!([says("heard")]));
    let long = "x".repeat((1 << 20) + 1);
    let lines = [long.as_bytes(), b"\n\xff\xfe\n", b"go\n"].concat();
    let output = project.run().write_stdin(lines).assert().code(2).get_output().clone();
    let (said, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(said.ends_with("heard\n\n"), "{said}");
    insta::assert_snapshot!(told, @r"
    seam: a prompt is longer than 1024 KiB; it was not sent, say less in one line
    seam: a prompt is no UTF-8; it was not sent
    ");
}

#[test]
fn without_prompts_nothing_is_kept() {
    let project = Project::new(&json!([]));
    let output = project.run().arg("--json").write_stdin("\n").assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    let session: Value = serde_json::from_str(output.lines().next().unwrap()).unwrap();
    assert!(!std::path::Path::new(session["path"].as_str().unwrap()).exists());
}

/// Who pipes prompts in means all of them.
#[test]
fn a_signal_ends_the_run_and_the_prompts_after_it() {
    for signal in ["INT", "TERM"] {
        let sleeps = json!({ "content": [call("c1", "bash", json!({ "command": "touch MARK; sleep 600" }))] });
        let project = Project::new(&json!([sleeps, says("late"), says("later")]));
        let mut dialog = Dialog::of(&project);
        dialog.send("one\ntwo");
        until("the command runs", || project.path().join("MARK").exists());
        kill(signal, dialog.child());
        let events = dialog.until("session_shutdown");
        assert_eq!(exits(&events), [(1, 130)], "{signal}");
        assert_eq!(dialog.end().0, Some(130), "{signal}");
    }
}

#[test]
fn a_model_is_missed_only_where_one_is_asked() {
    let project = Project::new(&json!([]));
    let mut run = super::seam();
    run.arg("run").arg("--no-session").arg("--cwd").arg(project.path());
    let output = run.write_stdin("!touch MADE\nhello\n").assert().code(1).get_output().stderr.clone();
    assert!(project.path().join("MADE").exists());
    assert!(String::from_utf8(output).unwrap().contains("there is no model to ask"));
}
