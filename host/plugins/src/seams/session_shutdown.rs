//! `session-shutdown`: a session is left.

use seam_harness::{Event, Failure, Moment, Reason, SessionEvent};

use crate::bindings::exports::seam::harness::session_shutdown as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::SessionShutdown { reason }) = event else { return Ok(()) };
    let reason = match reason {
        Reason::Reload => wit::Reason::Reload,
        Reason::Fork => wit::Reason::Fork,
        Reason::Resume => wit::Reason::Resume,
        Reason::New => wit::Reason::New,
        Reason::Quit | Reason::Startup => wit::Reason::Quit,
    };
    let event = wit::Event { session: at.session(), reason };
    ask!(to, session_shutdown.call_observe(event), at at, returning 0)
}
