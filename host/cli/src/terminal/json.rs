//! Every agent event as a line of JSON on stdout.

use std::io::Write as _;

use seam_loop::{AgentEvent, EventSink};

/// Prints events as JSON lines.
pub(crate) struct JsonLines;

impl EventSink for JsonLines {
    fn emit(&self, event: AgentEvent) {
        let line = serde_json::to_string(&event)
            .unwrap_or_else(|error| format!("{{\"type\":\"error\",\"error\":\"{error}\"}}"));
        // A reader that has gone away is no reason to stop half-way in an effect.
        let _gone = writeln!(std::io::stdout().lock(), "{line}");
    }
}
