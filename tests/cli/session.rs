//! Sessions that survive their run.

mod bugs;
mod change;
mod forks;
mod look;
mod missing;
mod refused;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::stopping::{kill, pid, until};
use super::{Project, call, seam};

/// A project whose sessions are in a folder of their own.
struct Kept {
    project: Project,
    sessions: TempDir,
}

impl Kept {
    fn new() -> Self {
        Self { project: Project::new(&json!([])), sessions: TempDir::new().unwrap() }
    }

    /// A run that plays these turns.
    fn run(&self, turns: &Value, arguments: &[&str]) -> Command {
        let script = self.project.elsewhere.path().join("script.json");
        fs::write(&script, json!({ "turns": turns }).to_string()).unwrap();
        let mut run = self.command("run");
        run.arg("--script").arg(script).args(arguments);
        run
    }

    fn command(&self, command: &str) -> Command {
        let mut seam = seam();
        seam.arg(command).arg("--cwd").arg(self.project.path()).arg("--session-dir").arg(self.sessions.path());
        seam
    }

    /// What `seam session` prints.
    fn session(&self, arguments: &[&str]) -> String {
        let output = self.command("session").args(arguments).assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    /// What a command says on stderr when it refuses with code 2.
    fn refused(&self, command: &mut Command) -> String {
        let output = command.assert().code(2).get_output().clone();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
        let told = String::from_utf8(output.stderr).unwrap();
        let told = told.replace(&*self.sessions.path().to_string_lossy(), "SESSIONS");
        let project = self.project.path().canonicalize().unwrap();
        told.replace(&*project.to_string_lossy(), "PROJECT")
    }

    /// The session files, oldest first, without their journals.
    fn files(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.sessions.path()).unwrap().map(|folder| folder.unwrap().path());
        let mut files: Vec<PathBuf> =
            folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path()).collect();
        files.retain(|file| !file.to_string_lossy().contains(".journal"));
        files.sort();
        files
    }

    /// The one session file's text.
    fn text(&self) -> String {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        fs::read_to_string(&files[0]).unwrap()
    }

    fn is_there(&self, name: &str) -> bool {
        self.project.path().join(name).exists()
    }
}

/// The messages of a session's text: roles, and texts.
fn messages(text: &str) -> Vec<String> {
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let message = |entry: Value| {
        let message = entry.get("message")?;
        let texts = message["content"].as_array()?.iter().filter_map(|block| block["text"].as_str());
        Some(format!("{} {}", message["role"].as_str()?, texts.collect::<String>()).trim_end().to_owned())
    };
    entries.filter_map(message).collect()
}

fn says(text: &str) -> Value {
    json!([{ "content": [{ "text": text }] }])
}

fn bash(command: &str) -> Value {
    json!([{ "content": [call("c1", "bash", json!({ "command": command }))] }, { "content": [{ "text": "done" }] }])
}

/// Starts it and does not wait.
fn spawn(run: &Command) -> std::process::Child {
    let mut seam = std::process::Command::new(run.get_program());
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => seam.env(name, value),
            None => seam.env_remove(name),
        };
    }
    seam.args(run.get_args()).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_run_goes_on_where_the_last_one_ended() {
    let kept = Kept::new();
    kept.run(&says("first"), &["one"]).assert().success();
    let before = kept.text();
    kept.run(&says("second"), &["--continue", "two"]).assert().success();
    let after = kept.text();
    assert!(after.starts_with(&before));
    assert_eq!(messages(&after), ["user one", "assistant first", "user two", "assistant second"]);
}

/// Bug log 84, 85, 86 and 92: the process dies in the middle of a tool.
#[test]
fn after_a_kill_in_a_tool_the_session_goes_on_and_the_call_is_not_made_again() {
    let kept = Kept::new();
    let command = "echo x >>RAN; echo $$ >pid.new; mv pid.new pid; exec sleep 600";
    let mut seam = spawn(&kept.run(&bash(command), &["go"]));
    let sleeping = pid(&kept.project.path().join("pid"));
    kill("KILL", &seam);
    seam.wait().unwrap();
    let _its_own_now = std::process::Command::new("kill").args(["-s", "KILL", &sleeping]).status();
    let before = kept.text();
    assert_eq!(messages(&before), ["user go", "assistant"]);
    kept.run(&says("I see."), &["--continue", "what happened?"]).assert().success();
    let after = kept.text();
    assert!(after.starts_with(&before));
    let messages = messages(&after);
    assert!(messages[2].starts_with("toolResult Interrupted, outcome unknown: "), "{messages:?}");
    assert_eq!(messages[3..], ["user what happened?", "assistant I see."]);
    assert_eq!(fs::read_to_string(kept.project.path().join("RAN")).unwrap(), "x\n");
}

/// Bug log 93.
#[test]
fn after_an_abort_in_a_tool_the_session_goes_on() {
    let kept = Kept::new();
    let mut seam = spawn(&kept.run(&bash("echo $$ >pid.new; mv pid.new pid; exec sleep 600"), &["go"]));
    pid(&kept.project.path().join("pid"));
    kill("TERM", &seam);
    assert_eq!(seam.wait().unwrap().code(), Some(130));
    assert_eq!(messages(&kept.text()), ["user go", "assistant", "toolResult Operation aborted"]);
    kept.run(&says("I see."), &["--continue", "on"]).assert().success();
    assert_eq!(messages(&kept.text())[3..], ["user on", "assistant I see."]);
}

#[test]
fn a_line_that_was_cut_is_kept_aside_with_a_word_about_it() {
    let kept = Kept::new();
    kept.run(&says("first"), &["one"]).assert().success();
    let file = &kept.files()[0];
    fs::write(file, kept.text() + r#"{"type":"mess"#).unwrap();
    let output = kept.run(&says("second"), &["--continue", "two"]).assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("  session: line 5 was cut after 13 bytes; they were moved to `"), "{output}");
    let files = kept.files();
    assert_eq!((files.len(), fs::read_to_string(&files[1]).unwrap()), (2, r#"{"type":"mess"#.to_owned()));
}

#[test]
fn two_runs_do_not_write_one_session() {
    let kept = Kept::new();
    let run = kept.run(&bash("echo $$ >pid.new; mv pid.new pid; exec sleep 600"), &["go"]);
    let mut first = spawn(&run);
    pid(&kept.project.path().join("pid"));
    let told = kept.refused(&mut kept.run(&bash("touch MARK"), &["--continue", "go"]));
    assert!(told.contains(" is locked: another process has it open for writing; close that one, "), "{told}");
    assert!(!kept.is_there("MARK"));
    // Another session is free.
    kept.run(&bash("touch MARK"), &["go"]).assert().success();
    assert!(kept.is_there("MARK"));
    kill("TERM", &first);
    first.wait().unwrap();
    until("the first is free", || kept.files().len() == 2);
}

/// 4 blocks, of 512 bytes or of 1024: the model's words do not fit.
#[test]
fn what_cannot_be_written_ends_the_run_before_anything_is_done() {
    let kept = Kept::new();
    let turns =
        json!([{ "content": [{ "text": "x".repeat(9000) }, call("c1", "bash", json!({ "command": "touch MARK" }))] }]);
    let run = kept.run(&turns, &["--json", "go"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\""]).arg(run.get_program()).args(run.get_args());
    let output = shell.assert().code(1).get_output().clone();
    let (told, events) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
    assert!(told.starts_with("seam: the run failed: the entry was not stored: writing line 4 of session `"), "{told}");
    assert!(told.contains("; the session is as it was before, so mend the cause and try again. "), "{told}");
    assert!(!kept.is_there("MARK") && !events.contains("tool_execution"), "{events}");
    assert!(events.contains(r#"{"type":"agent_end","messages":[]"#), "{events}");
    assert_eq!(messages(&kept.text()), ["user go"]);
    kept.run(&says("again"), &["--continue", "go on"]).assert().success();
    assert_eq!(messages(&kept.text()), ["user go", "user go on", "assistant again"]);
}

#[test]
fn without_a_session_nothing_is_kept() {
    let kept = Kept::new();
    let output = kept.run(&says("first"), &["--no-session", "one"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(output).unwrap(), "no plugins: nothing is checked\nfirst\n\n");
    assert_eq!(kept.files(), Vec::<PathBuf>::new());
}

#[test]
fn a_command_line_of_the_user_needs_no_model() {
    let kept = Kept::new();
    let said = kept.command("run").arg("!echo hi").assert().success().get_output().stdout.clone();
    assert!(String::from_utf8(said).unwrap().ends_with("→ bash echo hi\n  ✓ done\n    hi\n"));
    assert!(kept.refused(kept.command("run").arg("hi")).starts_with("seam: there is no model to ask"));
}

/// Nothing is said by a command of the user, but something is done.
#[test]
fn a_session_stays_for_what_was_done_and_is_not_gone_on_with() {
    let kept = Kept::new();
    kept.run(&says("first"), &["!true"]).assert().success();
    assert_eq!(kept.files().len(), 1);
    let told = kept.refused(&mut kept.run(&says("ok"), &["--continue", "go"]));
    assert_eq!(
        told,
        "seam: PROJECT has no session in which anything was said; run without `--continue`, or name one with `--session`\n"
    );
}

#[test]
fn how_durable_entries_are_is_a_setting() {
    let kept = Kept::new();
    for word in ["entry", "save-point", "never"] {
        let settings = format!("[session]\ndurability = \"{word}\"\n");
        fs::write(kept.project.path().join("seam.toml"), settings).unwrap();
        kept.run(&says("ok"), &["go"]).assert().success();
    }
    assert!(kept.files().iter().all(|file| fs::read_to_string(file).unwrap().lines().count() == 4));
    fs::write(kept.project.path().join("seam.toml"), "[session]\ndurability = \"often\"\n").unwrap();
    let told = kept.refused(&mut kept.run(&says("ok"), &["go"]));
    assert!(
        told.contains("`durability` under `[session]` cannot be `often`; known are `entry`, `save-point`, `never`"),
        "{told}"
    );
}

/// What is said to an agent is nobody else's to read.
#[test]
#[cfg(unix)]
fn the_folder_of_sessions_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let kept = Kept::new();
    kept.run(&says("ok"), &["go"]).assert().success();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(kept.files()[0].parent().unwrap()), 0o700);
}
