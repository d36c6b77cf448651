//! `session-start`: a session begins.

use seam_harness::{Event, Failure, Moment, Reason, SessionEvent};

use crate::bindings::exports::seam::harness::session_start as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::SessionStart { reason, previous }) = event else { return Ok(()) };
    let reason = match reason {
        Reason::Reload => wit::Reason::Reload,
        Reason::Fork => wit::Reason::Fork,
        Reason::Resume => wit::Reason::Resume,
        Reason::New => wit::Reason::New,
        Reason::Startup | Reason::Quit => wit::Reason::Startup,
    };
    let event = wit::Event { session: at.session(), reason, previous: previous.as_deref() };
    ask!(to, session_start.call_observe(event), at at, returning 0)
}
