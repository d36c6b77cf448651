//! `abort`: the user aborted a run.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::abort as wit;
use crate::convert::count;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::Abort { cleared_steering, cleared_follow_up }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), cleared_steering: count(*cleared_steering), cleared_follow_up: count(*cleared_follow_up) };
    ask!(to, abort.call_observe(event), at at, returning 0)
}
