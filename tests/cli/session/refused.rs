//! What no run does: go on with what is no whole session of its workspace, and write sessions by its tools.

use std::fs;

use serde_json::{Value, json};

use super::{Kept, bash, says};
use crate::cli::{Project, call, seam};

#[test]
fn a_session_that_cannot_go_on_is_told_and_nothing_runs() {
    let kept = Kept::new();
    let told = |arguments: &[&str]| {
        let arguments = [arguments, &["go"]].concat();
        let told = kept.refused(&mut kept.run(&bash("touch MARK"), &arguments));
        assert!(!kept.is_there("MARK"), "{told}");
        told
    };
    assert_eq!(
        told(&["--continue"]),
        "seam: PROJECT has no session in which anything was said; run without `--continue`, or name one with `--session`\n"
    );
    kept.run(&says("a"), &["one"]).assert().success();
    kept.run(&says("b"), &["two"]).assert().success();
    assert!(told(&["--session", "0"]).starts_with("seam: `0` begins the ids of 2 sessions; give more of it: 0"));
    let missing =
        "seam: no session of PROJECT has the name `zz` or an id that begins so; `seam session ls` lists them\n";
    assert_eq!(told(&["--session", "zz"]), missing);
    let files = kept.files();
    let first = files[0].to_str().unwrap();
    let whole = fs::read_to_string(first).unwrap();
    for (text, words) in [
        ("no session".to_owned(), "is not a session file: its first line is not a JSON object; it was left as it is"),
        (format!("{whole}x\n{whole}"), "is damaged and takes no more entries: line 5 is not JSON that can be read"),
        (whole.replacen("\"version\":3", "\"version\":4", 1), "has version 4, and versions 1 to 3 are known here"),
        (whole.replacen("\"cwd\":\"", "\"cwd\":\"/else", 1), "or fork it into this workspace with `seam session fork`"),
    ] {
        fs::write(first, &text).unwrap();
        let told = told(&["--session", first]);
        assert!(told.contains(words), "{told}");
        assert_eq!(fs::read_to_string(first).unwrap(), text);
    }
}

/// They hold what plugins withheld.
#[test]
fn no_file_tool_reads_journals() {
    let project = Project::new(&json!([])).file("conf", "withheld-words");
    let inside = project.path().join("kept");
    let go = |turns: Value, more: &[&str]| {
        let script = project.elsewhere.path().join("script.json");
        fs::write(&script, json!({ "turns": [{ "content": turns }, { "content": [] }] }).to_string()).unwrap();
        let mut run = seam();
        run.arg("run").arg("--cwd").arg(project.path()).arg("--session-dir").arg(&inside);
        run.arg("--script").arg(script).args(more).args(["--json", "go"]);
        String::from_utf8(run.assert().success().get_output().stdout.clone()).unwrap()
    };
    go(json!([call("c1", "bash", json!({ "command": "echo withheld-words" }))]), &[]);
    fs::remove_file(project.path().join("conf")).unwrap();
    let folder = fs::read_dir(&inside).unwrap().next().unwrap().unwrap().path();
    let find = |end: &str| {
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let file = files.into_iter().find(|file| file.to_string_lossy().ends_with(end)).unwrap();
        file.strip_prefix(project.path()).unwrap().to_str().unwrap().to_owned()
    };
    let (journal, session) = (find(".journal"), find(".jsonl"));
    let read = |path: &str| json!([call("c1", "read", json!({ "path": path }))]);
    let grep = |path: &str| json!([call("c1", "grep", json!({ "pattern": "withheld.words", "path": path }))]);
    let session = project.path().join(session);
    for more in [&[][..], &["--no-session"], &["--session", session.to_str().unwrap()]] {
        for turns in [read(&journal), grep(&journal), read(&format!("{journal}.head"))] {
            let said = go(turns, more);
            assert!(
                said.contains("is a journal of Seam. It holds what plugins were shown and what they withheld"),
                "{said}"
            );
            assert!(!said.contains("withheld-words"), "{said}");
        }
        let said = go(grep("kept"), more);
        assert!(said.contains("they are Seam's own journals, which no tool may read"), "{said}");
        assert!(!said.contains(".journal:"), "{said}");
    }
}

#[test]
fn no_file_tool_writes_sessions() {
    let kept = Kept::new();
    let inside = kept.project.path().join("kept");
    let write = |path: &str| json!([{ "content": [call("c1", "write", json!({ "path": path, "content": "x" }))] }, { "content": [] }]);
    let go = |path: &str, more: &[&str]| {
        let mut run = seam();
        let script = kept.project.elsewhere.path().join("script.json");
        fs::write(&script, json!({ "turns": write(path) }).to_string()).unwrap();
        run.arg("run").arg("--cwd").arg(kept.project.path()).arg("--session-dir").arg(&inside);
        let output =
            run.arg("--script").arg(script).args(more).arg("go").assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    let refusal = "holds Seam's own settings, plugins or sessions, which no tool may write";
    assert!(go("kept/new.jsonl", &[]).contains(refusal));
    let folder = fs::read_dir(&inside).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    for file in files {
        let named = file.strip_prefix(kept.project.path()).unwrap().to_str().unwrap();
        let is_session = named.ends_with(".jsonl");
        let refusal = if is_session { refusal } else { "so no tool may read or write it" };
        let before = fs::read(&file).unwrap();
        assert!(go(named, &["--no-session"]).contains(refusal), "{named}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    assert!(!inside.join("new.jsonl").exists());
}
