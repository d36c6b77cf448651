//! The seam `session-before-switch`: leaving a session for another.

use crate::bindings::session_before_switch::exports::seam::harness::session_before_switch as wit;
use crate::{Export, Instance};

pub use wit::{Event as Switch, Outcome};

/// May cancel that the user leaves this session for another. The first `Cancel` of several plugins stops.
///
/// A panic cancels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `session_before_switch` but does not implement `SessionBeforeSwitch`",
    label = "missing: `impl SessionBeforeSwitch for {Self}`"
)]
pub trait SessionBeforeSwitch {
    /// Takes the switch, gives whether it happens.
    fn decide(&mut self, switch: &Switch) -> Outcome;
}

impl Outcome {
    /// It does not happen, for this reason.
    pub fn cancel(reason: impl Into<String>) -> Self {
        Self::Cancel(reason.into())
    }
}

impl<P: Instance + SessionBeforeSwitch> wit::Guest for Export<P> {
    fn decide(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.decide(&event))
    }
}
