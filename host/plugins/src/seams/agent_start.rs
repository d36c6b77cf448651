//! `agent-start`: a run begins.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::agent_start as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::AgentStart) = event else { return Ok(()) };
    let event = wit::Event { session: at.session() };
    ask!(to, agent_start.call_observe(event), at at, returning 0)
}
