//! `seam replay`, as a person and as a script meet it.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use seam_plugins::Digest;
use seam_tests::files;
use serde_json::{Value, json};

use super::{Project, call, seam};

/// A project in whose only session two files were written, under the eyes of the plugin `stress`, which does this.
fn project(deeds: &str) -> Project {
    let write = |id, path| json!({ "content": [call(id, "write", json!({ "path": path, "content": "x" }))] });
    let turns = json!([write("c1", "a.txt"), write("c2", "b.txt"), { "content": [{ "text": "done" }] }]);
    let project = Project::new(&turns).stress(deeds);
    project.run().arg("go").assert().success();
    project
}

/// The file of its session.
fn session(project: &Project) -> PathBuf {
    let folder = fs::read_dir(project.elsewhere.path().join("sessions")).unwrap().next().unwrap().unwrap();
    let mut files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    files.find(|file| file.extension().is_some_and(|extension| extension == "jsonl")).unwrap()
}

fn replay(project: &Project) -> Command {
    let mut replay = seam();
    replay.env("XDG_CACHE_HOME", files::root().join("target/test-cache")).arg("replay").arg(session(project));
    replay.arg("--cwd").arg(project.path());
    replay
}

/// The same with its plugins.
fn replay_all(project: &Project) -> Command {
    let mut replay = replay(project);
    replay.arg("--plugins").arg(project.plugins());
    replay
}

fn stdout(command: &mut Command, code: i32) -> String {
    String::from_utf8(command.assert().code(code).get_output().stdout.clone()).unwrap()
}

fn stderr(command: &mut Command, code: i32) -> String {
    String::from_utf8(command.assert().code(code).get_output().stderr.clone()).unwrap()
}

#[test]
fn the_same_plugin_differs_in_nothing() {
    let project = project(r#"{ gate = { panic-on = "b.txt" }, patch = "count" }"#);
    assert_eq!(stdout(&mut replay_all(&project), 0), "5 calls: 5 as then, 0 different\n");
}

#[test]
fn other_settings_are_told_and_what_they_decide() {
    let project = project(r#"{ gate = { panic-on = "b.txt" } }"#);
    let project = project.file("seam.toml", "[plugins.stress]\nconfig = { gate = { panic-on = \"a.txt\" } }\n");
    insta::assert_snapshot!(stdout(&mut replay_all(&project), 1), @r#"
    failed now  stress at tool-call, line 4
      call  write a.txt  content="x"  (c1)
      then  proceed
      now   failed: it crashed (a panic or an abort)

    failed then  stress at tool-call, line 9
      call  write b.txt  content="x"  (c2)
      then  failed: it crashed (a panic or an abort)
      now   proceed

    plugin `stress`: other settings than then
    5 calls: 3 as then, 2 different (1 failed now, 1 failed then)
    "#);
}

#[test]
fn another_file_is_asked_in_its_place() {
    let project = project(r#"{ gate = { say = "not here" } }"#);
    let folder = tempfile::TempDir::new().unwrap();
    let other = folder.path().join("stress.wasm");
    fs::copy(files::guest("gate"), &other).unwrap();
    let told = stdout(replay(&project).arg("--plugin").arg(&other), 1);
    let digest = |file| Digest::of(&fs::read(file).unwrap()).to_string()[..12].to_owned();
    let told = told.replace(&digest(&other), "NEW").replace(&digest(&files::stress()), "OLD");
    insta::assert_snapshot!(told, @r#"
    now allowed  stress at tool-call, line 4
      call  write a.txt  content="x"  (c1)
      then  block: not here
      now   proceed

    now allowed  stress at tool-call, line 6
      call  write b.txt  content="x"  (c2)
      then  block: not here
      now   proceed

    plugin `stress`: another file than then (NEW now, OLD then)
    4 calls: 2 as then, 2 different (2 now allowed)
    "#);
}

#[test]
fn a_script_reads_lines_of_json() {
    let project = project(r#"{ gate = { panic-on = "b.txt" } }"#);
    let project = project.file("seam.toml", "[plugins.stress]\nconfig = { gate = { say = \"no\" } }\n");
    let lines: Vec<Value> =
        stdout(replay_all(&project).arg("--json"), 1).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&Value> = lines.iter().map(|line| &line["kind"]).collect();
    assert_eq!(kinds, [&json!("now-refused"), &json!("failed-then"), &Value::Null]);
    assert_eq!(lines[0]["now"], json!({ "answer": { "block": { "reason": "no", "terminate": false } } }));
    assert_eq!(lines[0]["then"], json!({ "answer": "proceed" }));
    assert_eq!((&lines[0]["plugin"], &lines[0]["call"]), (&json!("stress"), &json!("c1")));
    assert_eq!(lines[2]["kinds"], json!({ "now-refused": 1, "failed-then": 1 }));
    assert_eq!(lines[2]["summary"]["different"], 2);
    assert_ne!(lines[2]["plugins"][0]["settings"][0], lines[2]["plugins"][0]["nowSettings"]);
}

#[test]
fn a_plugin_that_is_gone_is_a_difference_unless_one_is_named() {
    let project = project(r#"{}"#).plugin("protected-paths");
    project.run().arg("--continue").arg("again").assert().success();
    fs::remove_file(project.plugins().join("protected-paths.wasm")).unwrap();
    let told = stdout(&mut replay_all(&project), 1);
    assert!(told.contains("plugin `protected-paths`: it is not there, and was not asked\n"), "{told}");
    let told = stdout(replay(&project).arg("--plugin").arg(project.plugins().join("stress.wasm")), 0);
    assert!(told.contains("of plugins that are not there"), "{told}");
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let project = project("{}");
    let gate = files::guest("gate");
    for (arguments, code, fault) in [
        (
            vec!["--plugin", gate.to_str().unwrap()],
            2,
            "no plugin of the session is called `gate` (its plugins: stress)",
        ),
        (vec!["--plugin", "/nowhere/stress.wasm"], 3, "plugin not loaded: /nowhere/stress.wasm: it cannot be read"),
        (vec!["--plugins", "/nowhere"], 2, "the plugin folder /nowhere cannot be read"),
        (vec!["--config", "/nowhere.toml"], 2, "/nowhere.toml cannot be read"),
    ] {
        let told = stderr(replay(&project).args(arguments), code);
        assert!(told.contains(fault), "{told}");
    }
    fs::remove_dir_all(project.path().join(".seam")).unwrap();
    let told = stderr(&mut replay(&project), 2);
    let fault = "there is no plugin to ask; name their folder with `--plugins`, or a file with `--plugin`";
    assert!(told.contains(fault), "{told}");
    let mut nothing = seam();
    let told = stderr(nothing.args(["replay", "/nowhere.jsonl"]), 2);
    assert!(told.contains("there is no journal `/nowhere.journal`"), "{told}");
}

#[test]
fn a_journal_that_was_changed_is_not_believed() {
    let project = project("{}");
    let journal = session(&project).with_extension("journal");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replace("a.txt", "c.txt")).unwrap();
    let told = stderr(&mut replay_all(&project), 2);
    assert!(told.starts_with("seam: the journal is not as it was written: "), "{told}");
    assert!(told.contains("nothing was replayed. `seam journal verify "), "{told}");
}

#[test]
fn a_shadow_is_named_as_one_and_what_it_would_decide_replays() {
    let turns = json!([
        { "content": [call("c1", "write", json!({ "path": "a.txt", "content": "x" }))] }, { "content": [{ "text": "done" }] }
    ]);
    let project = Project::new(&turns).stress(r#"{ gate = { say = "no" } }"#);
    let settings = fs::read_to_string(project.path().join("seam.toml")).unwrap();
    let project = project.file("seam.toml", &format!("{settings}mode = \"shadow\"\n"));
    let told = stdout(project.run().arg("go"), 0);
    assert!(
        told.starts_with("only shadows: nothing is checked\nplugins: stress (shadow: changes nothing)\n"),
        "{told}"
    );
    assert!(project.path().join("a.txt").exists());
    let told = stderr(project.run().args(["--no-session", "go"]), 0);
    assert_eq!(told, "seam: what shadows would decide is told nowhere: this run keeps no journal\n");
    stdout(&mut replay_all(&project), 0);
    let told = stdout(&mut replay_all(&project.file("seam.toml", "")), 1);
    assert!(told.starts_with("now allowed  stress at tool-call (a shadow then), line "), "{told}");
}
