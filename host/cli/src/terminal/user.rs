//! Asking the user at the terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::User;
use seam_loop::{CancellationToken, ToolCall};
use tokio::sync::Mutex;

use crate::stop::Stop;
use crate::terminal::asked;
use crate::terminal::input::Input;
use crate::terminal::question::question;

/// Whether there is somebody who reads and types.
pub(crate) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The user, if there is one at the terminal. An abort is a no.
pub(crate) fn at_terminal(stop: &Stop, input: &Input) -> Option<Arc<dyn User>> {
    let user = || AtTerminal { stop: stop.clone(), input: input.clone(), turn: Mutex::new(()) };
    is_there().then(|| Arc::new(user()) as Arc<dyn User>)
}

struct AtTerminal {
    stop: Stop,
    input: Input,
    /// One question at a time.
    turn: Mutex<()>,
}

#[async_trait]
impl User for AtTerminal {
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        self.ask(&question(call, questions)).await.is_some_and(|answer| asked::is_yes(&answer))
    }

    async fn confirms(&self, plugin: &str, question: &str) -> bool {
        self.ask(&asked::confirm(plugin, question)).await.is_some_and(|answer| asked::is_yes(&answer))
    }

    async fn selects(&self, plugin: &str, question: &str, options: &[String]) -> Option<usize> {
        asked::choice(&self.ask(&asked::select(plugin, question, options)).await?, options.len())
    }

    async fn inputs(&self, plugin: &str, question: &str) -> Option<String> {
        asked::words(self.ask(&asked::input(plugin, question)).await?)
    }
}

impl AtTerminal {
    /// The line that is typed in answer to this; none after an abort, and when nobody answers.
    async fn ask(&self, question: &str) -> Option<String> {
        let _turn = self.turn.lock().await;
        let abort = self.stop.abort();
        if abort.is_cancelled() {
            return None;
        }
        let mut open = Open { abort: &abort, answered: false };
        let answer = tokio::select! {
            biased;
            () = abort.cancelled() => return None,
            answer = self.input.answer(question) => answer,
        };
        open.answered = true;
        answer?.text()
    }
}

/// A question on the screen. When it is dropped while nobody has answered, its line is ended. After an abort that is all:
/// the user knows.
struct Open<'a> {
    abort: &'a CancellationToken,
    answered: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.answered {
            let said = if self.abort.is_cancelled() { "" } else { "\n  (not answered)" };
            let _nobody_reads = writeln!(io::stdout().lock(), "{said}");
        }
    }
}
