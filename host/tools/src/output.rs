//! A list of lines as a result: bounded, with notes on what was left out.

use seam_loop::tool::ToolOutput;

use crate::limits::MAX_BYTES;

/// Collects lines until the limit of a result is reached.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    notes: Vec<String>,
    full: bool,
}

impl Lines {
    /// Adds a line. `false` when it no longer fits; nothing fits from then on.
    pub(crate) fn push(&mut self, line: &str) -> bool {
        if self.full || self.text.len() + line.len() + 1 > MAX_BYTES {
            self.full = true;
            return false;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        true
    }

    /// Adds a note, shown after the lines.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The result; `empty` is what it says when there is no line.
    pub(crate) fn finish(mut self, empty: &str) -> ToolOutput {
        if self.full {
            self.notes
                .push(format!("Stopped at {} KiB of output. Narrow the call down for the rest.", MAX_BYTES / 1024));
        }
        if self.text.is_empty() {
            self.text.push_str(empty);
        }
        if !self.notes.is_empty() {
            self.text.push_str(&format!("\n\n[{}]", self.notes.join(" ")));
        }
        ToolOutput::text(self.text)
    }
}
