//! A run as a person sees it while it goes on.

use std::io::Read;
use std::process::{Command, Stdio};

use seam_tests::models::{Block, End, Frames, Protocol, Said, frames};
use serde_json::{Value, json};

use crate::cli::terminal::at_terminal;

use super::Place;

/// Reads until this is there.
fn until(output: &mut impl Read, text: &str) -> String {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(text) {
        let mut byte = [0];
        assert_eq!(output.read(&mut byte).unwrap(), 1, "it ended: {}", String::from_utf8_lossy(&seen));
        seen.push(byte[0]);
    }
    String::from_utf8(seen).unwrap()
}

/// The response never ends here, and its first word is there.
#[test]
fn words_are_seen_before_the_response_is_complete() {
    for json in [false, true] {
        let place = Place::new();
        let frames = Frames::of(Protocol::Anthropic, &Said::text("Firstly and lastly.").in_pieces(3));
        let first = frames.ends()[frames.index(frames::Place::Text) - 1];
        place.server.push(frames.plan().truncated(first, End::Hang));
        let args = ["run", "--no-session", "--model", "anthropic/x", "go"];
        let command = place.command(&[&args[..], if json { &["--json"] } else { &[] }].concat());
        let mut seam = Command::new(command.get_program());
        seam.args(command.get_args()).current_dir(command.get_current_dir().unwrap()).stdout(Stdio::piped());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => seam.env(name, value),
                None => seam.env_remove(name),
            };
        }
        let mut seam = seam.spawn().unwrap();
        let mut stdout = seam.stdout.take().unwrap();
        let seen = until(&mut stdout, "Firstl");
        assert!(!seen.contains("lastly"), "{seen}");
        assert!(Command::new("kill").args(["-INT", &seam.id().to_string()]).status().unwrap().success());
        assert_eq!(seam.wait().unwrap().code(), Some(130));
    }
}

fn thinks() -> Place {
    let place = Place::new();
    let blocks = vec![Block::thinking("First I look.\nThen I say it.", Some("c2ln")), Block::text("Here it is.")];
    place.server.say(Protocol::Anthropic, &Said::new(blocks).in_pieces(5));
    place
}

const RUN: [&str; 5] = ["run", "--no-session", "--model", "anthropic/claude-sonnet-4-5:high", "go"];

#[test]
fn thinking_is_no_part_of_an_answer_that_is_read_by_a_program() {
    let place = thinks();
    let ended = place.seam(&RUN);
    assert!(ended.out.contains("Here it is.") && !ended.out.contains("I look"), "{}", ended.out);
}

#[test]
fn thinking_is_told_from_the_answer_with_colours_and_without() {
    let place = thinks();
    let (code, screen) = at_terminal(&place.command(&RUN), &json!([]));
    assert_eq!(code, Some(0), "{screen}");
    insta::assert_snapshot!(screen.trim_end(), @r#"
    no plugins: nothing is checked
    │ First I look.
    │ Then I say it.

    Here it is.

    anthropic/claude-sonnet-4-5 · 34 tokens read (13 cached), 34 written · $0.0006
    "#);
    let place = thinks();
    let mut coloured = place.command(&RUN);
    let (_, screen) = at_terminal(coloured.env_remove("NO_COLOR"), &json!([]));
    let plain = screen.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    assert!(plain.contains("│ First I look.\n│ Then I say it.\n\nHere it is.\n"), "{screen}");
    assert!(screen.contains("\u{1b}[2m│ First\u{1b}[0m") && !screen.contains("\u{1b}[2mHere"), "{screen}");
}

#[test]
fn what_a_run_cost_is_its_last_line() {
    let place = Place::new();
    let call = vec![Block::call("toolu_1", "bash", json!({ "command": "true" }))];
    place.server.say(Protocol::Anthropic, &Said::new(call));
    place.server.say(Protocol::Anthropic, &Said::text("ok"));
    let run = place.run("anthropic/claude-sonnet-4-5", &["--no-session"]);
    let last = run.out.lines().last().unwrap();
    insta::assert_snapshot!(last, @r#"
    anthropic/claude-sonnet-4-5 · 68 tokens read (26 cached), 68 written · $0.0012
    "#);
    let place = Place::new();
    let script: Value = json!({ "turns": [{ "content": [{ "text": "ok" }] }] });
    std::fs::write(place.path().join("script.json"), script.to_string()).unwrap();
    let run = place.seam(&["run", "--no-session", "--script", "script.json", "go"]);
    assert!(!run.out.contains("tokens"), "nothing was spent: {}", run.out);
}

#[test]
fn an_answer_in_which_nothing_is_is_told() {
    let place = Place::new();
    place.server.say(Protocol::Anthropic, &Said::new(Vec::new()));
    let ended = place.run("anthropic/claude-sonnet-4-5", &["--no-session"]);
    assert_eq!(ended.code, 0);
    assert!(ended.out.contains("the model's answer is empty"), "{}", ended.out);
}
