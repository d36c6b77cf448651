//! `session-compact`: a session was compacted.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::session_compact as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::SessionCompact { entry, summary, from_plugin }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), entry, summary, from_plugin: from_plugin.as_deref() };
    ask!(to, session_compact.call_observe(event), at at, returning 0)
}
