//! `agent-end`: a run is over.

use seam_harness::{Event, Failure, Moment};
use seam_loop::{AgentEvent, Message, StopReason};

use crate::bindings::exports::seam::harness::agent_end as wit;
use crate::convert::message::range;
use crate::convert::model::stop;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::AgentEnd { messages, added }) = event else { return Ok(()) };
    let added = at.length().saturating_sub(*added)..at.length();
    let (stop_reason, error_message) = match messages.last().map(|message| &**message) {
        Some(Message::Assistant(said)) => (stop(said.stop_reason), said.error_message.as_deref()),
        _ => (stop(StopReason::Stop), None),
    };
    let event = wit::Event { session: at.session(), added: range(&added), stop_reason, error_message };
    ask!(to, agent_end.call_observe(event), at at, returning 0)
}
