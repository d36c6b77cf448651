//! Prompts that are typed at a terminal.

use serde_json::{Value, json};

use super::super::terminal::at_terminal;
use super::{Project, call, says};

/// What the screen shows after the session has begun, without how the terminal is steered.
fn shown(screen: &str) -> String {
    let start = screen.find("session: ").expect("a session");
    screen[start..].split_once('\n').unwrap().1.to_owned()
}

#[test]
fn a_sign_shows_where_to_type_and_ctrl_d_ends() {
    let project = Project::new(&json!([says("first"), says("second")]));
    let steps = json!([["› ", "one\n"], ["› ", "two\n"], ["› ", "\u{4}"]]);
    let (code, screen) = at_terminal(&project.run(), &steps);
    assert_eq!(code, Some(0), "{screen}");
    insta::assert_snapshot!(shown(&screen), @r"
    › one
    first

    › two
    second

    ›
    ");
}

/// A turn that says that it has begun, and runs a command.
fn runs(command: &str) -> Value {
    json!({ "content": [{ "text": "begun" }, call("c1", "bash", json!({ "command": command }))] })
}

#[test]
fn ctrl_c_ends_the_run_and_not_the_session() {
    let project = Project::new(&json!([runs("sleep 600"), says("second")]));
    let steps = json!([["› ", "one\n"], ["begun", "\u{3}"], ["› ", "two\n"], ["› ", "\u{4}"]]);
    let (code, screen) = at_terminal(&project.run(), &steps);
    assert_eq!(code, Some(130), "{screen}");
    assert!(screen.contains("second"), "{screen}");
}

#[test]
fn ctrl_c_where_nothing_runs_ends_it() {
    let project = Project::new(&json!([]));
    let (code, screen) = at_terminal(&project.run(), &json!([["› ", "\u{3}"]]));
    assert_eq!(code, Some(130), "{screen}");
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let stubborn = "trap '' TERM INT HUP; while true; do sleep 1; done";
    let project = Project::new(&json!([runs(stubborn), says("second")]));
    // Between the two some time passes: signals that come at once are one.
    let steps = [["› ", "one\n"], ["begun", "\u{3}"], ["^C", ""], ["", ""], ["", ""], ["", "\u{3}"]];
    let (code, screen) = at_terminal(&project.run(), &json!(steps));
    assert_eq!(code, Some(130), "{screen}");
    assert!(!screen.contains("second"), "{screen}");
}

const ASKS: &str = r#"{ gate = { ask = "May I?" } }"#;

/// A model that calls a command after some seconds, and answers.
fn asked(delay: u64) -> Value {
    let call = call("c1", "bash", json!({ "command": "touch MARK" }));
    json!([{ "content": [call], "delay": delay }, says("first"), says("second")])
}

/// Both read what is typed: no line is lost, and none reaches the wrong one.
#[test]
fn a_prompt_typed_ahead_is_no_answer_to_a_question_and_is_heard_after_it() {
    let project = Project::new(&asked(3000)).stress(ASKS);
    let steps = json!([["› ", "one\n"], ["one", "y\n"], ["[y/N]", "no\n"], ["› ", "\u{4}"]]);
    let (code, screen) = at_terminal(&project.run(), &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert!(!project.path().join("MARK").exists() && screen.contains("second"), "{screen}");
}

/// The line after it is a prompt, though the question was the last to read.
#[test]
fn after_a_question_that_was_not_answered_the_next_line_is_a_prompt() {
    let project = Project::new(&asked(0)).stress(ASKS);
    let steps = json!([["› ", "one\n"], ["[y/N]", "\u{3}"], ["› ", "two\n"], ["› ", "\u{4}"]]);
    let (code, screen) = at_terminal(&project.run(), &steps);
    assert_eq!(code, Some(130), "{screen}");
    assert!(!project.path().join("MARK").exists() && screen.contains("first"), "{screen}");
    assert!(!screen.contains("no objection"), "it was given up: {screen}");
}

#[test]
fn an_end_at_a_question_is_a_no_and_no_end() {
    let project = Project::new(&asked(0)).stress(ASKS);
    let steps = json!([["› ", "one\n"], ["[y/N]", "\u{4}"], ["› ", "two\n"], ["› ", "\u{4}"]]);
    let (code, screen) = at_terminal(&project.run(), &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert!(!project.path().join("MARK").exists(), "{screen}");
}
