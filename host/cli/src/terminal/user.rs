//! Asking the user at the terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::termios::{QueueSelector, tcflush};
use seam_harness::seams::User;
use seam_loop::{CancellationToken, ToolCall};
use tokio::sync::{Mutex, oneshot};

use crate::terminal::question::question;

/// The user, if there is one at the terminal. An abort is a no.
pub(crate) fn at_terminal(abort: &CancellationToken) -> Option<Arc<dyn User>> {
    let there = io::stdin().is_terminal() && io::stdout().is_terminal();
    there.then(|| Arc::new(AtTerminal { abort: abort.clone(), turn: Mutex::new(()) }) as Arc<dyn User>)
}

struct AtTerminal {
    abort: CancellationToken,
    /// One question at a time.
    turn: Mutex<()>,
}

#[async_trait]
impl User for AtTerminal {
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        let _turn = self.turn.lock().await;
        let text = question(call, questions);
        let (answer, answered) = oneshot::channel();
        // A thread of its own: one of the runtime's would keep the process alive until somebody answers.
        let asking = std::thread::Builder::new().name("seam-question".to_owned());
        let _no_thread_no_answer = asking.spawn(move || answer.send(ask(&text)));
        tokio::select! {
            biased;
            () = self.abort.cancelled() => false,
            answer = answered => answer.unwrap_or(false),
        }
    }
}

/// Only a plain yes is one, and only one that is given after the question.
fn ask(text: &str) -> bool {
    let mut answer = String::new();
    let asked = tcflush(io::stdin(), QueueSelector::IFlush).is_ok() && print(text).is_ok();
    let answered = asked && io::stdin().read_line(&mut answer).is_ok();
    answered && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Stdout is free again when this ends, so that a run that is aborted meanwhile can say so.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
