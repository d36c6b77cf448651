//! What was decided is decided again: the same by the same plugin, and what another one would decide is told.

mod memory;
mod others;
mod same;
mod shares;

use seam_plugins::Plugin;
use seam_plugins::replay::{Difference, Said};
use seam_tests::bed::Bed;

/// The plugins of a bed, loaded.
async fn loaded(bed: Bed) -> Vec<Plugin> {
    bed.load().await
}

/// An ending as text.
fn told(said: &Said) -> String {
    match said {
        Said::Answer(answer) => answer.text().to_owned(),
        Said::Key(key) => format!("key: {key}"),
        Said::Failure(kind, text) => format!("{kind}: {text}"),
        Said::NotAsked => "not asked".to_owned(),
        Said::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// A difference as `KIND PLUGIN SEAM: THEN -> NOW`.
fn line(found: &Difference) -> String {
    let Difference { kind, plugin, seam, then, now, .. } = found;
    format!("{kind:?} {plugin} {seam}: {} -> {}", told(then), told(now))
}
