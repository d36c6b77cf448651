//! `log`: notes for the user. Bounded in size and number, without characters that steer a screen or hide.

use wasmtime::Result;

use crate::bindings::seam::harness::log::{Host, Level};
use crate::state::{Shared, State};
use crate::texts::one_line;

/// The longest note, in bytes.
const LONGEST: usize = 1024;

impl Host for State {
    fn write(&mut self, level: Level, message: String) -> Result<()> {
        self.timed(|state| {
            write(&state.shared, level, &message);
            Ok(())
        })
    }
}

fn write(shared: &Shared, level: Level, message: &str) {
    let plugin = &*shared.name;
    let most = shared.limits.log_per_minute;
    match shared.notes.take(most, shared.clock.now()) {
        Ok(()) => {}
        Err(first) => {
            if first {
                tracing::warn!(target: "seam::plugin", plugin, "more than {most} notes a minute; the rest is dropped");
            }
            return;
        }
    }
    let note = one_line(message, LONGEST);
    match level {
        Level::Error => tracing::error!(target: "seam::plugin", plugin, "{note}"),
        Level::Warn => tracing::warn!(target: "seam::plugin", plugin, "{note}"),
        Level::Info => tracing::info!(target: "seam::plugin", plugin, "{note}"),
        Level::Debug => tracing::debug!(target: "seam::plugin", plugin, "{note}"),
    }
}
