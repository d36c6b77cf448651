//! `message-end`: a message is complete.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::message_end as wit;
use crate::convert::count;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::MessageEnd { .. }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), message: count(at.length().saturating_sub(1)) };
    ask!(to, message_end.call_observe(event), at at, returning 0)
}
