//! `log`: notes for the user. Bounded in size and number, without control characters.

use crate::bindings::seam::harness::log::{Host, Level};
use crate::state::State;

/// The longest note, in bytes.
const LONGEST: usize = 1024;

impl Host for State {
    fn write(&mut self, level: Level, message: String) {
        let plugin = &*self.shared.name;
        let most = self.shared.limits.log_per_minute;
        match self.shared.notes.take(most, self.shared.clock.now()) {
            Ok(()) => {}
            Err(first) => {
                if first {
                    tracing::warn!(target: "seam::plugin", plugin, "more than {most} notes a minute; the rest is dropped");
                }
                return;
            }
        }
        let kept = message.get(..message.floor_char_boundary(LONGEST)).unwrap_or_default();
        let note: String = kept.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        match level {
            Level::Error => tracing::error!(target: "seam::plugin", plugin, "{note}"),
            Level::Warn => tracing::warn!(target: "seam::plugin", plugin, "{note}"),
            Level::Info => tracing::info!(target: "seam::plugin", plugin, "{note}"),
            Level::Debug => tracing::debug!(target: "seam::plugin", plugin, "{note}"),
        }
    }
}
