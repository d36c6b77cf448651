//! What a journal holds, and that it stays whole.

use std::process::Stdio;

use super::super::stopping::{kill, listening, until};
use super::*;

const ASKS: &str = r#"{ gate = { ask = "May I?" } }"#;

fn one_call() -> Value {
    let command = json!({ "command": "touch MARK" });
    json!([{ "content": [call("c1", "bash", command)] }, { "content": [{ "text": "end" }] }])
}

/// The facts of a ruling.
fn rulings(project: &Project) -> Vec<Value> {
    let lines = project.lines(&["--call", "c1"]).into_iter().filter(|line| line["kind"] == "ruling");
    lines.map(|line| json!([line["by"], line["tool"], line["arguments"], line["ruling"], line["questions"]])).collect()
}

#[test]
fn the_answer_of_the_user_is_written_down_with_the_question() {
    for (answer, ruling) in [("y\n", json!("proceed")), ("n\n", json!({ "block": "Refused by the user." }))] {
        let project = Project::new(&one_call()).stress(ASKS);
        let (code, screen) = at_terminal(project.run().arg("go"), &json!([["[y/N]", answer]]));
        assert_eq!(code, Some(0), "{screen}");
        let questions = json!([["stress", "May I?"]]);
        let asked = json!(["user", "bash", { "command": "touch MARK" }, ruling, questions]);
        assert_eq!(rulings(&project), [asked]);
    }
}

#[test]
fn that_there_was_nobody_to_ask_is_written_down() {
    let project = Project::new(&one_call()).stress(ASKS);
    project.run().arg("go").assert().success();
    let rulings = rulings(&project);
    assert_eq!((rulings.len(), &rulings[0][0], &rulings[0][4]), (1, &json!("host"), &json!([["stress", "May I?"]])));
}

/// Before its effect: what ran, for whom, and that it is over.
#[test]
fn every_call_that_runs_is_written_down() {
    let project = Project::new(&one_call());
    project.run().arg("go").assert().success();
    let kinds: Vec<Value> = project.lines(&["--call", "c1"]).into_iter().map(|line| line["kind"].clone()).collect();
    assert_eq!(kinds, ["run", "done"]);
    let run = &project.lines(&["--call", "c1"])[0];
    let facts = json!([run["tool"], run["arguments"], run["origin"], run["replay"]]);
    assert_eq!(facts, json!(["bash", { "command": "touch MARK" }, "model", "never"]));
}

#[test]
fn a_command_of_the_user_is_written_down() {
    let project = Project::new(&json!([]));
    project.run().arg("!touch MARK").assert().success();
    let lines = project.lines(&[]);
    let run = lines.iter().find(|line| line["kind"] == "run").unwrap();
    assert_eq!(json!([run["tool"], run["origin"]]), json!(["bash", "user"]));
    assert_eq!(project.verified(), (Some(0), "intact: 3 lines in 1 file\n".to_owned()));
}

#[test]
fn a_journal_goes_on_with_its_session() {
    let project = Project::new(&one_call()).plugin("protected-paths");
    project.run().arg("go").assert().success();
    project.run().args(["--continue", "go on"]).assert().success();
    let runs: Vec<Value> =
        project.lines(&[]).into_iter().filter(|line| line["kind"] == "open").map(|line| line["run"].clone()).collect();
    assert_eq!(runs, [1, 2]);
    let (code, said) = project.verified();
    assert_eq!((code, said.starts_with("intact: ")), (Some(0), true), "{said}");
}

#[test]
fn a_journal_is_whole_after_its_process_was_killed() {
    let turns = json!([{ "content": [call("c1", "bash", json!({ "command": "touch MARK; exec sleep 60" }))] }]);
    let project = Project::new(&turns).plugin("protected-paths");
    let mut seam = listening(&project.run());
    let mut seam = seam.arg("go").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the command runs", || project.path().join("MARK").exists());
    kill("KILL", &seam);
    seam.wait().unwrap();
    assert_eq!(project.verified().0, Some(0));
    let kinds: Vec<Value> = project.lines(&["--call", "c1"]).into_iter().map(|line| line["kind"].clone()).collect();
    assert_eq!(kinds, ["crossing", "run"]);

    // And half a line is at its end: it is told, cut off by the next run, and written down.
    let text = fs::read(project.journal_file()).unwrap();
    fs::write(project.journal_file(), [&*text, b"{\"n\":9"].concat()).unwrap();
    let (code, said) = project.verified();
    assert!(code == Some(0) && said.contains("half a line of 6 bytes is at its end"), "{said}");
    fs::write(
        project.elsewhere.path().join("script.json"),
        json!({ "turns": [{ "content": [{ "text": "end" }] }] }).to_string(),
    )
    .unwrap();
    project.run().args(["--continue", "go on"]).assert().success();
    let lines = project.lines(&[]);
    let mended = lines.iter().find(|line| line["kind"] == "mended").unwrap();
    assert_eq!(json!([mended["bytes"], mended["lost"]]), json!([6, 0]));
    assert_eq!(project.verified().0, Some(0));
}

/// The key is said by nobody and stands nowhere, also where the plugin says it again.
#[test]
fn a_key_is_nowhere_in_the_journal() {
    let deeds = format!(
        r#"{{ get-api-key = {{ do = "key", text = "{KEY}" }}, tool-call = {{ do = "block", text = "I hold {KEY}." }},
             tell = ["get-api-key"], observe = "quiet" }}"#
    )
    .replace('\n', " ");
    let project = Project::new(&one_call()).everything(&deeds);
    project.run().arg("go").assert().success();
    for file in project.files().into_iter().filter(|file| file.to_string_lossy().contains(".journal")) {
        assert!(!fs::read_to_string(&file).unwrap().contains(KEY), "{}", file.display());
    }
    let lines = project.lines(&["--plugin", "everything"]);
    let asked = |seam: &str| lines.iter().find(|line| line["seam"] == seam).unwrap();
    assert_eq!(asked("get-api-key")["withheld"], true);
    assert_eq!(asked("get-api-key")["host"], json!([]));
    assert_eq!(asked("tool-call")["answer"]["block"]["reason"], "I hold [secret].");
}

#[test]
fn with_no_room_for_a_journal_there_is_none() {
    let project = Project::new(&one_call()).file("seam.toml", "[session]\njournal-mib = 0\n");
    project.run().arg("go").assert().success();
    assert_eq!(project.files(), [project.session()]);
}

/// Beside its session, which is all that is listed.
#[test]
fn a_journal_is_no_session() {
    let project = Project::new(&one_call());
    project.run().arg("go").assert().success();
    let mut ls = seam();
    ls.args(["session", "ls", "--json"]).arg("--cwd").arg(project.path());
    ls.arg("--session-dir").arg(project.elsewhere.path().join("sessions"));
    let listed: Value = serde_json::from_slice(&ls.assert().success().get_output().stdout).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(project.files().len(), 3);
}

/// An earlier one may have been taken away.
#[test]
fn a_journal_that_begins_later_than_its_session_says_so() {
    let project = Project::new(&one_call()).stress("{}");
    project.run().arg("go").assert().success();
    let is_journal = |file: &PathBuf| file.extension().is_none_or(|end| end != "jsonl");
    project.files().into_iter().filter(is_journal).for_each(|file| fs::remove_file(file).unwrap());
    project.run().args(["--continue", "go"]).assert().success();
    let (code, said) = project.verified();
    assert_eq!(code, Some(0));
    let (_intact, note) = said.split_once('\n').unwrap();
    insta::assert_snapshot!(note, @"it begins after 5 entries of the session: that is a fork, kept no journal before, or an earlier one was removed");
}

#[test]
fn no_tool_writes_a_journal() {
    let project = Project::new(&json!([]));
    let session = project.path().join("talk.jsonl");
    let write = |name: &str| call(name, "write", json!({ "path": name, "content": "x" }));
    let names = ["talk.journal", "talk.journal.head", "talk.journal.1", "talk.journals"];
    let turns = json!([{ "content": names.map(write) }, { "content": [{ "text": "end" }] }]);
    fs::write(project.elsewhere.path().join("script.json"), json!({ "turns": turns }).to_string()).unwrap();
    let header = json!({ "type": "session", "version": 3, "id": "s-1", "timestamp": "2026-11-30T14:37:43.120Z",
        "cwd": project.path().canonicalize().unwrap() });
    fs::write(&session, format!("{header}\n")).unwrap();
    project.run().arg("--session").arg(&session).arg("go").assert().success();
    let there: Vec<bool> = names.map(|name| project.path().join(name).exists()).to_vec();
    assert_eq!(there, [true, true, false, true]);
    let mut verify = seam();
    verify.args(["journal", "verify"]).arg(&session).assert().success();
}

/// The page of the session.
fn page(project: &Project) -> String {
    let mut export = seam();
    let export = export.args(["session", "export", "--html", "--output", "-"]).arg(project.session());
    String::from_utf8(export.assert().success().get_output().stdout.clone()).unwrap()
}

#[test]
fn what_was_refused_before_anyone_was_asked_is_written_down_and_told() {
    let calls = [call("c1", "nosuch", json!({})), call("c2", "read", json!({ "pth": 1 }))];
    let project = Project::new(&json!([{ "content": calls }, { "content": [{ "text": "end" }] }]));
    project.run().arg("go").assert().success();
    let ruling = |id: &str| {
        let line = project.lines(&["--call", id]).into_iter().next().expect("a ruling");
        json!([line["kind"], line["by"], line["tool"], line["arguments"]])
    };
    assert_eq!(ruling("c1"), json!(["ruling", "host", "nosuch", {}]));
    assert_eq!(ruling("c2"), json!(["ruling", "host", "read", { "pth": 1 }]));
    assert!(project.shown(&["--call", "c1"]).ends_with("Tool nosuch not found"), "{}", project.shown(&[]));
    let page = page(&project);
    assert_eq!(page.matches("✕ not run").count(), 2);
    assert!(page.contains("refused: Tool nosuch not found"), "{page}");
}

#[test]
fn an_answer_that_is_not_usable_is_written_down_and_told() {
    let echo = call("c1", "bash", json!({ "command": "true" }));
    let project = Project::new(&json!([{ "content": [echo] }, { "content": [{ "text": "end" }] }]))
        .everything(r#"{ observe = "quiet", rewrite-tool-call = { do = "arguments", text = "{\"nope\":1}" } }"#);
    project.run().arg("go").assert().success();
    let lines = project.lines(&["--call", "c1"]);
    let place = lines.iter().position(|line| line["kind"] == "rejected").unwrap();
    let rejected = &lines[place];
    let is_asked = |line: &serde_json::Value| line["kind"] == "crossing" && line["seam"] == "rewrite-tool-call";
    assert!(lines[..place].iter().any(is_asked), "{lines:?}");
    assert!(lines.iter().all(|line| line["kind"] != "run"), "{lines:?}");
    let text = rejected["failure"]["text"].as_str().unwrap();
    assert!(text.starts_with("its answer is not usable: the new arguments do not fit the tool"), "{text}");
    let facts = [&rejected["plugin"], &rejected["seam"], &rejected["failure"]["kind"], &rejected["refused"]];
    assert_eq!(json!(facts), json!(["everything", "rewrite-tool-call", "invalid-answer", true]));
    assert!(project.shown(&["--plugin", "everything"]).contains("not usable"));
    let page = page(&project);
    assert!(page.contains("failed (invalid-answer): its answer is not usable: the new arguments do not fit"), "{page}");
    assert!(page.contains("so it was refused"), "{page}");
    let (folder, plugins) = (project.path().to_str().unwrap(), project.plugins());
    let mut replay = seam();
    replay.arg("replay").arg(project.session()).args(["--cwd", folder, "--plugins"]).arg(plugins);
    replay.assert().success();
}
