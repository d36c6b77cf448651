//! What plugins do and say by themselves, as a person and as a program see it.

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};

use super::Project;
use super::terminal::at_terminal;

const SETTINGS: &str = r#"
[plugins.helper.grants]
tools = ["read"]
exec = ["echo", "sh"]
ui = true
complete = 1000

[plugins.helper.config]
commands = [{ name = "go", steps = STEPS }]
"#;

/// A project with the plugin, whose command `/go` does these steps, and a gate beside it.
fn helper(steps: &str) -> Project {
    let project = Project::new(&json!([])).plugin("protected-paths").file("notes.md", "hello\n");
    std::fs::copy(files::guest("reach-b"), project.plugins().join("helper.wasm")).unwrap();
    project.file("settings.toml", &SETTINGS.replace("STEPS", steps))
}

fn go(project: &Project) -> Command {
    let mut run = project.run();
    run.arg("--config").arg(project.path().join("settings.toml")).arg("/go");
    run
}

const DOES: &str = r#"[
    { status = "looks" },
    { exec = ["echo", "a b", "$HOME"] },
    { exec = ["sh", "-c", "echo no; exit 3"] },
    { call = "read", with = { path = "notes.md" } },
    { call = "read", with = { path = ".env" } },
    { notify = "Done.\n\n→ bash rm -rf /\n  protected-paths  refused: it" },
    { status = "" },
]"#;

#[test]
fn what_a_plugin_does_and_says_is_under_its_name() {
    let project = helper(DOES);
    let screen = go(&project).assert().success().get_output().stdout.clone();
    let screen = String::from_utf8(screen).unwrap();
    let folder = project.path().canonicalize().unwrap();
    let screen = screen.replace(&*folder.to_string_lossy(), "PROJECT");
    let (head, shown) = screen.split_at(screen.find("  helper is").unwrap());
    assert!(head.starts_with("plugins: helper, protected-paths\nsession: "), "{head}");
    let (shown, _) = shown.trim_start().split_once("exec: 0").unwrap();
    insta::assert_snapshot!(shown, @r"
    helper is at work: looks

    helper → bash echo 'a b' '$HOME'
      no objection: helper, protected-paths
      ✓ done

    helper → bash sh -c 'echo no; exit 3'
      no objection: helper, protected-paths
      ✗ failed: no⏎ ⏎ The command exited with code 3.

    helper → read notes.md
      no objection: helper, protected-paths
      ✓ done

    helper → read .env
      protected-paths  refused: `PROJECT/.env` is protected by `.env`: no reading, no writing
      no objection: helper
      ✗ not run
      helper says: Done.
      │
      │ → bash rm -rf /
      │   protected-paths  refused: it
    ");
}

#[test]
fn a_program_is_told_of_it_too() {
    let project = helper(DOES);
    let lines = go(&project).arg("--json").assert().success().get_output().stdout.clone();
    let lines = String::from_utf8(lines).unwrap();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).cloned().collect::<Vec<_>>();
    let called = of("plugin_called");
    let shorts: Vec<String> = called
        .iter()
        .map(|event| format!("{} {} {} {}", event["plugin"], event["id"], event["tool"], event["outcome"]))
        .collect();
    assert_eq!(
        shorts,
        [
            r#""helper" "plugin-1-1" "bash" "done""#,
            r#""helper" "plugin-1-2" "bash" "failed""#,
            r#""helper" "plugin-1-3" "read" "done""#,
            r#""helper" "plugin-1-4" "read" "notRun""#,
        ]
    );
    assert_eq!(called[0]["args"], json!({ "command": "echo 'a b' '$HOME'" }));
    assert_eq!(called[0].get("error"), None);
    assert_eq!(called[1]["error"], "no\n\nThe command exited with code 3.");
    let block = called[3]["decisions"].as_array().unwrap().last().unwrap();
    assert_eq!((&block["by"], &block["ruling"]["kind"]), (&json!({ "plugin": "protected-paths" }), &json!("block")));
    assert_eq!(
        of("plugin_status"),
        ["looks", ""].map(|text| json!({ "type": "plugin_status", "plugin": "helper", "text": text }))
    );
    assert_eq!(of("plugin_notice")[0]["text"], "Done.\n\n→ bash rm -rf /\n  protected-paths  refused: it");
    // Nobody is asked when a program listens, and no tool of the model's is told.
    assert!(of("tool_execution_start").is_empty());
}

const ASKS: &str = r#"[
    { confirm = "Go on?\n  Run it? [y/N] y\nprotected-paths asks: \u001B[2Jwell?" },
    { select = "Which?", of = ["the first", "the second\nwith more", ""] },
    { input = "What name?" },
]"#;

/// From the first question to the answers.
fn asked(screen: &str) -> &str {
    let start = screen.find("  helper asks").expect("it was asked");
    screen[start..].trim_end()
}

#[test]
fn its_questions_are_answered_at_the_terminal() {
    let steps = json!([["to `helper` [y/N] ", "y\n"], ["else none] ", "2\n"], ["[nothing: none] ", "Ada L.\n"]]);
    let (code, screen) = at_terminal(&go(&helper(ASKS)), &steps);
    assert_eq!(code, Some(0), "{screen}");
    insta::assert_snapshot!(asked(&screen), @r#"
      helper asks: Go on?
      │   Run it? [y/N] y
      │ protected-paths asks: [2Jwell?
      Your answer to `helper` [y/N] y

      helper asks: Which?
      │  1  the first
      │  2  the second with more
      │  3
      Your choice for `helper` [1-3, else none] 2

      helper asks: What name?
      Your answer to `helper` [nothing: none] Ada L.
    confirm: true
    select: Some(1)
    input: Some("Ada L.")
    "#);
}

#[test]
fn without_an_answer_nothing_is_agreed_to() {
    let steps = json!([["to `helper` [y/N] ", "\n"], ["else none] ", "4\n"], ["[nothing: none] ", " \n"]]);
    let (code, screen) = at_terminal(&go(&helper(ASKS)), &steps);
    assert!(code == Some(0) && screen.ends_with("confirm: false\nselect: None\ninput: None\n"), "{screen}");
    // Without a terminal nobody is there.
    let output = go(&helper(ASKS)).assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    assert!(output.ends_with("confirm: false\nselect: None\ninput: None\n") && !output.contains("asks"), "{output}");
}

#[test]
fn a_question_that_is_not_answered_in_time_says_so_and_one_that_is_aborted_says_nothing() {
    let project = helper(ASKS);
    let settings = SETTINGS.replace("STEPS", ASKS) + "[plugins.helper.limits]\nuser-ms = 200\n";
    let project = project.file("settings.toml", &settings);
    let (code, screen) = at_terminal(&go(&project), &json!([]));
    assert!(code == Some(0) && screen.ends_with("confirm: false\nselect: None\ninput: None\n"), "{screen}");
    assert_eq!(screen.matches("\n  (not answered)\n").count(), 3, "{screen}");
    let (code, screen) = at_terminal(&go(&helper(ASKS)), &json!([["to `helper` [y/N] ", "\u{3}"]]));
    assert_ne!(code, Some(0), "{screen}");
    assert_eq!((screen.matches("asks").count(), screen.matches("(not answered)").count()), (2, 0), "{screen}");
}

/// Observers ask at the end of a turn, while the model goes on.
#[test]
fn after_an_abort_nothing_is_asked_and_nothing_is_printed_of_it() {
    let late = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let turn = json!({ "content": [{ "toolCall": { "id": "c1", "name": "ls", "args": {} } }] });
    let project = Project::new(&json!([turn, late]));
    std::fs::copy(files::guest("reach-b"), project.plugins().join("helper.wasm")).unwrap();
    let watches = r#"
[plugins.helper]
grants = { tools = ["read"], exec = ["echo"], ui = true, complete = 1000 }
config.turn-end.steps = [{ confirm = "Go on?", times = 5 }, { select = "Which?", of = ["a"] }]
"#;
    let project = project.file("settings.toml", watches);
    let (code, screen) = at_terminal(&go(&project), &json!([["to `helper` [y/N] ", "\u{3}"]]));
    assert_ne!(code, Some(0), "{screen}");
    assert_eq!((screen.matches("asks: ").count(), screen.matches("(not answered)").count()), (1, 0), "{screen}");
}

#[test]
fn the_question_about_a_call_says_which_plugin_makes_it() {
    let project = helper(r#"[{ call = "read", with = { path = "notes.md" } }]"#);
    std::fs::copy(files::guest("everything"), project.plugins().join("gate.wasm")).unwrap();
    let asks = "[plugins.gate.config]\nobserve = \"quiet\"\ntool-call = { do = \"ask\", text = \"May it?\" }\n";
    let steps = r#"[{ call = "read", with = { path = "notes.md" } }]"#;
    let project = project.file("settings.toml", &(SETTINGS.replace("STEPS", steps) + asks));
    let (code, screen) = at_terminal(&go(&project), &json!([["Run it? [y/N] ", "y\n"]]));
    assert!(code == Some(0) && screen.contains("\nread\n  plugin helper makes this call\n"), "{screen}");
    assert!(screen.contains("  gate asks: May it?\n"), "{screen}");
}
