//! The reference's side: a program of its own that does what it is asked.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The program, waiting for a question.
pub(crate) struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    program: PathBuf,
    package: PathBuf,
    /// What it is: its versions.
    pub(crate) about: String,
}

impl Peer {
    /// Starts what `SEAM_BENCH_PEER` names, with the package that `SEAM_BENCH_PACKAGE` names.
    ///
    /// # Errors
    /// Why there is no reference to measure.
    pub(crate) fn start() -> Result<Self, String> {
        let named =
            |name: &str| std::env::var_os(name).map(PathBuf::from).ok_or("`cargo xtask bench session` brings it");
        let mut peer = Self::of(named("SEAM_BENCH_PEER")?, named("SEAM_BENCH_PACKAGE")?)?;
        peer.about = peer.ask(&json!({ "do": "about" }))?["about"].as_str().unwrap_or_default().to_owned();
        Ok(peer)
    }

    /// Another of the same program, which was asked nothing yet.
    pub(crate) fn another(&self) -> Self {
        Self::of(self.program.clone(), self.package.clone()).unwrap()
    }

    fn of(program: PathBuf, package: PathBuf) -> Result<Self, String> {
        let mut node = Command::new("node");
        node.arg("--expose-gc").arg(&program).arg(&package).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().map_err(|error| format!("`node` cannot be started: {error}"))?;
        let (questions, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Ok(Self { child, questions, answers, program, package, about: String::new() })
    }

    /// What it answers.
    ///
    /// # Errors
    /// When it is gone.
    pub(crate) fn ask(&mut self, question: &Value) -> Result<Value, String> {
        writeln!(self.questions, "{question}").map_err(|error| format!("it takes no question: {error}"))?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("it gives no answer: {error}"))?;
        serde_json::from_str(&line).map_err(|_| "its program ended without an answer".to_owned())
    }

    /// A number of its answer.
    pub(crate) fn number(&mut self, question: &Value, name: &str) -> f64 {
        self.ask(question).unwrap()[name].as_f64().unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
