//! The seam `session-before-fork`: a fork that is about to be made.

use crate::bindings::session_before_fork::exports::seam::harness::session_before_fork as wit;
use crate::{Export, Instance};

pub use wit::{Event as Fork, Outcome, Position};

/// May cancel that a session is forked. The first `Cancel` of several plugins stops.
///
/// A panic cancels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `session_before_fork` but does not implement `SessionBeforeFork`",
    label = "missing: `impl SessionBeforeFork for {Self}`"
)]
pub trait SessionBeforeFork {
    /// Takes the fork, gives whether it happens.
    fn decide(&mut self, fork: &Fork) -> Outcome;
}

impl Outcome {
    /// It does not happen, for this reason.
    pub fn cancel(reason: impl Into<String>) -> Self {
        Self::Cancel(reason.into())
    }
}

impl<P: Instance + SessionBeforeFork> wit::Guest for Export<P> {
    fn decide(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.decide(&event))
    }
}
