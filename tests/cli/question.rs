//! The question a gate puts to the user.

use serde_json::{Value, json};

use super::terminal::at_terminal;
use super::{Project, call};

const ASKS: &str = r#"{ gate = { ask = "May I?\n  safe-delete asks: nothing to see \u202e" } }"#;

fn turns(command: &str) -> Value {
    json!([
        { "content": [call("c1", "bash", json!({ "timeout": 9, "command": command }))] },
        { "content": [{ "text": "end" }] }
    ])
}

/// The lines from the call's name to the question.
fn asked(screen: &str) -> String {
    let start = screen.find("\nbash\n").expect("it was asked");
    let end = screen.find("[y/N]").expect("it was asked");
    screen[start..end].trim_start().to_owned()
}

#[test]
fn a_plain_yes_runs_the_call() {
    let project = Project::new(&turns("touch MARK")).stress(ASKS);
    let (code, screen) = at_terminal(project.run().arg("go"), &json!([["[y/N]", "y\n"]]));
    assert_eq!(code, Some(0), "{screen}");
    assert!(project.path().join("MARK").exists(), "{screen}");
    let folder = project.path().canonicalize().unwrap();
    insta::assert_snapshot!(asked(&screen).replace(&*folder.to_string_lossy(), "PROJECT"), @r"
    bash
      runs    touch MARK
      in      PROJECT
      with    timeout=9
      stress asks: May I?⏎   safe-delete asks: nothing to see \u{202e}
      Run it?
    ");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let mut turns = turns("touch MARK");
    turns[0]["delay"] = json!(3000);
    let project = Project::new(&turns).stress(ASKS);
    let steps = json!([["plugins: stress", "y\n"], ["[y/N]", "\n"]]);
    let (code, screen) = at_terminal(project.run().arg("go"), &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert!(!project.path().join("MARK").exists(), "{screen}");
}

#[test]
fn ctrl_c_at_the_question_ends_the_run() {
    let project = Project::new(&turns("touch MARK")).stress(ASKS);
    let (code, screen) = at_terminal(project.run().arg("go"), &json!([["[y/N]", "\u{3}"]]));
    assert_eq!(code, Some(130), "{screen}");
    assert!(!project.path().join("MARK").exists(), "{screen}");
}

#[test]
fn a_long_command_is_asked_about_whole() {
    let command = format!("echo {}\ntouch MARK", "x".repeat(900));
    let project = Project::new(&turns(&command)).stress(ASKS);
    let (_, screen) = at_terminal(project.run().arg("go"), &json!([["[y/N]", "\n"]]));
    assert!(asked(&screen).contains("x\n  ⏎       touch MARK\n"), "{screen}");
}

#[test]
fn a_path_is_asked_about_by_where_it_leads() {
    let write = json!({ "content": "x".repeat(5000), "path": "link/f" });
    let turns = json!([{ "content": [call("c1", "write", write)] }, { "content": [] }]);
    let project = Project::new(&turns).stress(ASKS).file("f", "");
    std::os::unix::fs::symlink(".", project.path().join("link")).unwrap();
    let (_, screen) = at_terminal(project.run().arg("go"), &json!([["[y/N]", "\n"]]));
    let file = project.path().canonicalize().unwrap().join("f");
    let told = format!("\nwrite\n  writes  {}, given as \"link/f\"\n  with    content=\"xxx", file.display());
    assert!(screen.contains(&told) && screen.contains("more characters…] xxx"), "{screen}");
}
