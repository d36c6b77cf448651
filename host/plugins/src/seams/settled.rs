//! `settled`: the agent is idle.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::settled as wit;
use crate::convert::count;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::Settled { next_turn }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), next_turn: count(*next_turn) };
    ask!(to, settled.call_observe(event), at at, returning 0)
}
