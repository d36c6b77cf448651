//! `queue-update`: a queue changed.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::queue_update as wit;
use crate::convert::count;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::QueueUpdate { steering, follow_up, next_turn }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), steering: count(*steering), follow_up: count(*follow_up), next_turn: count(*next_turn) };
    ask!(to, queue_update.call_observe(event), at at, returning 0)
}
