//! `turn-start`: a turn begins.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::turn_start as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::TurnStart { turn }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), turn: *turn };
    ask!(to, turn_start.call_observe(event), at at, returning 0)
}
