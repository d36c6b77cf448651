//! What plugins do and say by themselves: never to be taken for what the model does or the host says.

use seam_harness::{CallOutcome, SessionEvent};

use super::words::{NAME, is_refusal, short_arguments};
use super::{REASON, Terminal, WIDTH};
use crate::terminal::spoken::spoken;
use crate::terminal::style::one_line;

impl Terminal {
    /// A call that a plugin made: what the model's calls look like, behind the plugin's name and without the result.
    pub(super) fn plugin_called(&self, called: &SessionEvent) -> String {
        let SessionEvent::PluginCalled { plugin, tool, args, outcome, error, decisions, .. } = called else {
            return String::new();
        };
        let call = format!("{} → {}", one_line(plugin, NAME), one_line(tool, NAME));
        let head = format!("\n{} {}\n", self.style.bold(&call), short_arguments(args, WIDTH));
        // Who refused it has said why already.
        let said = error.as_ref().filter(|_| !decisions.iter().any(is_refusal));
        let why = said.map(|error| format!(": {}", one_line(error, REASON))).unwrap_or_default();
        let mark = match outcome {
            CallOutcome::NotRun => self.style.red(&format!("✗ not run{why}")),
            CallOutcome::Failed => self.style.red(&format!("✗ failed{why}")),
            CallOutcome::GivenUp => self.style.red("✗ given up on its way"),
            CallOutcome::Done => self.style.green("✓ done"),
        };
        format!("{head}{}  {mark}\n", self.decided(decisions, matches!(outcome, CallOutcome::GivenUp)))
    }

    /// What a plugin says to the user.
    pub(super) fn notice(&self, plugin: &str, text: &str) -> String {
        spoken(plugin, "says", text)
    }

    /// What a plugin is doing. That it is over needs no word.
    pub(super) fn status(&self, plugin: &str, text: &str) -> String {
        match text {
            "" => String::new(),
            text => self.style.dim(spoken(plugin, "is at work", text).trim_end()) + "\n",
        }
    }
}
