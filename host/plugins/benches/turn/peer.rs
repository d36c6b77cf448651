//! The reference's side: a program of its own that times one round of a case whenever it is asked.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::case::{Case, shared};

/// The program, waiting for a question.
pub(crate) struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What it is: its versions.
    pub(crate) about: String,
}

impl Peer {
    /// Starts what `SEAM_BENCH_PEER` names.
    ///
    /// # Errors
    /// Why there is no reference to measure.
    pub(crate) fn start() -> Result<Self, String> {
        let program = std::env::var_os("SEAM_BENCH_PEER").ok_or("`cargo xtask bench turn` brings it")?;
        let mut node = Command::new("node");
        node.arg(program).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().map_err(|error| format!("`node` cannot be started: {error}"))?;
        let (questions, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut peer = Self { child, questions, answers, about: String::new() };
        let about = peer.ask(&shared())?;
        peer.about = about["about"].as_str().unwrap_or_default().to_owned();
        Ok(peer)
    }

    /// Microseconds of a turn: the median of one round.
    pub(crate) fn round(&mut self, case: &Case) -> f64 {
        let answer = self.ask(&case.question()).unwrap();
        answer["us"].as_f64().unwrap()
    }

    fn ask(&mut self, question: &Value) -> Result<Value, String> {
        writeln!(self.questions, "{question}").map_err(|error| format!("it takes no question: {error}"))?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("it gives no answer: {error}"))?;
        serde_json::from_str(&line).map_err(|_| "its program ended without an answer".to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
