//! Signals.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Project, call};

#[test]
fn a_signal_ends_the_run_and_what_it_started() {
    for signal in ["TERM", "HUP", "INT"] {
        stopped(&[signal], "");
    }
}

#[test]
fn a_second_signal_ends_a_run_that_does_not_want_to() {
    let took = stopped(&["INT", "TERM"], "trap '' TERM INT HUP; ");
    assert!(took < Duration::from_millis(1500), "{took:?}");
}

/// What `nohup` is for.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_was_told_to_ignore_hangups_does() {
    let turns = json!([{ "content": [call("c1", "bash", json!({ "command": "touch MARK; sleep 600" }))] }]);
    let project = Project::new(&turns);
    let run = project.run();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    let mut seam = shell.args(["--json", "go"]).stdout(Stdio::null()).spawn().unwrap();
    until("the command runs", || project.path().join("MARK").exists());
    kill("HUP", &seam);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(seam.try_wait().unwrap(), None);
    kill("TERM", &seam);
    assert_eq!(seam.wait().unwrap().code(), Some(130));
}

/// Sends signals to a run whose command sleeps. Nothing of it may be left. Tells how long it took.
fn stopped(signals: &[&str], before: &str) -> Duration {
    let command = format!("{before}sleep 600 & echo $! > pid.new && mv pid.new pid; wait; sleep 600");
    let turns = json!([{ "content": [call("c1", "bash", json!({ "command": command }))] }, { "content": [] }]);
    let project = Project::new(&turns);
    let mut seam = listening(&project.run());
    let mut seam = seam.args(["--json", "go"]).stdout(Stdio::null()).spawn().unwrap();
    let sleeping = pid(&project.path().join("pid"));
    let start = Instant::now();
    for signal in signals {
        kill(signal, &seam);
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(seam.wait().unwrap().code(), Some(130), "{signals:?}");
    let took = start.elapsed();
    until("the command is gone", || !is_running(&sleeping));
    took
}

/// The run, with hangups not ignored, though whoever started the tests may ignore them.
pub(super) fn listening(run: &assert_cmd::Command) -> Command {
    let mut command = match cfg!(target_os = "linux") {
        true => Command::new("env"),
        false => Command::new(run.get_program()),
    };
    if cfg!(target_os = "linux") {
        command.arg("--default-signal=HUP").arg(run.get_program());
    }
    command.args(run.get_args());
    command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

pub(super) fn pid(file: &Path) -> String {
    until("the command runs", || file.exists());
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

pub(super) fn kill(signal: &str, process: &Child) {
    let sent = Command::new("kill").args(["-s", signal, &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn is_running(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap().stdout;
    let state = String::from_utf8(state).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

pub(super) fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
