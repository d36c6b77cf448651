//! `seam run --json` that reads prompts, and somebody who says one thing after the other.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::Project;

/// A session under way.
pub(super) struct Dialog {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    errors: TempDir,
}

/// A process of what is to be run.
pub(super) fn process(run: &assert_cmd::Command) -> Command {
    let mut command = Command::new(run.get_program());
    command.args(run.get_args());
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

impl Dialog {
    /// Begins one.
    pub(super) fn of(project: &Project) -> Self {
        Self::with(&project.run(), &[])
    }

    /// The same of a run, with these arguments too.
    pub(super) fn with(run: &assert_cmd::Command, more: &[&str]) -> Self {
        let errors = TempDir::new().unwrap();
        let file = File::create(errors.path().join("stderr")).unwrap();
        let mut process = process(run);
        process.arg("--json").args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut child = process.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, lines: BufReader::new(output).lines(), errors }
    }

    /// Says something. Gives everything that is told until it is done.
    pub(super) fn say(&mut self, prompt: &str) -> Vec<Value> {
        self.send(prompt);
        self.until("prompt_end")
    }

    /// Says something.
    pub(super) fn send(&mut self, prompt: &str) {
        self.input.as_mut().unwrap().write_all(format!("{prompt}\n").as_bytes()).unwrap();
    }

    /// Everything that is told, up to an event of this type.
    pub(super) fn until(&mut self, last: &str) -> Vec<Value> {
        let mut events = Vec::new();
        for line in &mut self.lines {
            let event: Value = serde_json::from_str(&line.unwrap()).expect("each line is one event");
            let is_last = event["type"] == last;
            events.push(event);
            if is_last {
                return events;
            }
        }
        panic!("it ended before `{last}`: {}", self.errors());
    }

    /// What was said on stderr so far.
    pub(super) fn errors(&self) -> String {
        fs::read_to_string(self.errors.path().join("stderr")).unwrap()
    }

    /// The process.
    pub(super) fn child(&self) -> &Child {
        &self.child
    }

    /// Says nothing more. Gives the exit code, what was told at the end, and all of stderr.
    pub(super) fn end(mut self) -> (Option<i32>, Vec<Value>, String) {
        drop(self.input.take());
        let events = (&mut self.lines).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        (self.child.wait().unwrap().code(), events, self.errors())
    }
}

/// The events of a type.
pub(super) fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}
