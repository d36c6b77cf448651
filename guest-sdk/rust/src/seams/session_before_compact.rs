//! The seam `session-before-compact`: a compaction that is about to be made.

use crate::bindings::session_before_compact::exports::seam::harness::session_before_compact as wit;
use crate::{Export, Instance};

pub use wit::{Event as Compaction, Outcome, Reason, Summary};

/// May cancel a compaction, or supply its summary. The first `Cancel` stops; of several summaries the last one stands.
///
/// The messages are read through [`conversation`](crate::conversation). A panic cancels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `session_before_compact` but does not implement `SessionBeforeCompact`",
    label = "missing: `impl SessionBeforeCompact for {Self}`"
)]
pub trait SessionBeforeCompact {
    /// Takes the compaction, gives what becomes of it.
    fn decide(&mut self, compaction: &Compaction) -> Outcome;
}

impl Outcome {
    /// It does not happen, for this reason.
    pub fn cancel(reason: impl Into<String>) -> Self {
        Self::Cancel(reason.into())
    }

    /// This summary, without details; no model is asked.
    pub fn summary(text: impl Into<String>) -> Self {
        Self::Summary(Summary { text: text.into(), details: None })
    }
}

impl<P: Instance + SessionBeforeCompact> wit::Guest for Export<P> {
    fn decide(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.decide(&event))
    }
}
