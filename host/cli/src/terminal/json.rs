//! Every event as a line of JSON on stdout.

use seam_harness::{Event, Sink};

use crate::terminal::output::Output;

/// Prints events as JSON lines.
pub(crate) struct JsonLines(pub(crate) Output);

impl Sink for JsonLines {
    fn emit(&self, event: Event) {
        let line = serde_json::to_string(&event)
            .unwrap_or_else(|error| format!("{{\"type\":\"error\",\"error\":\"{error}\"}}"));
        self.0.print(&format!("{line}\n"));
    }
}
