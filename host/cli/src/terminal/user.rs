//! Asking the user at the terminal.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::bus::User;
use seam_loop::ToolCall;

use crate::terminal::style::{clean, one_line};

/// The user, if there is one at the terminal.
pub(crate) fn at_terminal() -> Option<Arc<dyn User>> {
    let there = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    there.then(|| Arc::new(AtTerminal) as Arc<dyn User>)
}

struct AtTerminal;

#[async_trait]
impl User for AtTerminal {
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        let mut text = format!("\n{} {}\n", call.tool, one_line(call.arguments.text(), 400));
        for (plugin, question) in questions {
            text.push_str(&format!("  {plugin} asks: {}\n", clean(question)));
        }
        text.push_str("  Run it? [y/N] ");
        tokio::task::spawn_blocking(move || ask(&text)).await.unwrap_or(false)
    }
}

/// Only a plain yes is one.
fn ask(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    let mut answer = String::new();
    let asked = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    let answered = asked.is_ok() && std::io::stdin().lock().read_line(&mut answer).is_ok();
    answered && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
