//! Prompts from standard input: one a line, each a run in the same session.

use seam_harness::Harness;
use serde_json::json;

use crate::commands::run::perform::perform;
use crate::commands::run::reload::InForce;
use crate::exit::Exit;
use crate::stop::Stop;
use crate::terminal::input::{Input, LONGEST, Line};
use crate::terminal::output::{Output, complain};
use crate::terminal::user;

/// What is shown where a prompt is to be typed.
const SIGN: &str = "› ";

/// Where prompts come from, and where what comes of them goes.
pub(super) struct Prompts<'a> {
    pub(super) input: &'a Input,
    pub(super) output: &'a Output,
    pub(super) stop: &'a Stop,
    pub(super) json: bool,
}

impl Prompts<'_> {
    /// Does what each of them says, until there are no more or nothing more is to run. Gives how the first ended that did
    /// not end well. Before each, the plugins are loaded again if their files or settings have changed.
    pub(super) async fn perform(&self, harness: &mut Harness, mut in_force: InForce) -> Exit {
        let is_typed = user::is_there();
        if is_typed {
            self.stop.outlive_interrupts();
        }
        let (mut all, mut number) = (Exit::Done, 0);
        while self.stop.renew() {
            if is_typed && !self.json {
                self.output.print(SIGN);
            }
            let abort = self.stop.abort();
            let line = tokio::select! {
                biased;
                () = abort.cancelled() => return Exit::Aborted,
                line = self.input.line() => line,
            };
            let Some(line) = line else { break };
            if matches!(&line, Line::Text(text) if text.trim().is_empty()) {
                continue;
            }
            number += 1;
            let exit = match prompt(line) {
                Ok(prompt) => {
                    in_force.renew(harness).await;
                    perform(harness, prompt, self.json, &abort, self.output).await
                }
                Err(fault) => {
                    complain(&fault);
                    Exit::Usage
                }
            };
            if self.json {
                let end = json!({ "type": "prompt_end", "prompt": number, "exit": exit as u8 });
                self.output.print(&format!("{end}\n"));
            }
            if all == Exit::Done {
                all = exit;
            }
        }
        all
    }
}

fn prompt(line: Line) -> Result<String, String> {
    match line {
        Line::Text(text) => Ok(text),
        Line::TooLong => {
            Err(format!("a prompt is longer than {} KiB; it was not sent, say less in one line", LONGEST >> 10))
        }
        Line::NotText => Err("a prompt is no UTF-8; it was not sent".to_owned()),
    }
}
