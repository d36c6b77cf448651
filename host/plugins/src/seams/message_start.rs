//! `message-start`: a message begins.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;
use seam_loop::event::Role;

use crate::bindings::exports::seam::harness::message_start as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::MessageStart { role, tool_call_id, .. }) = event else { return Ok(()) };
    let role = match role {
        Role::Custom => wit::Role::Custom,
        Role::ToolResult => wit::Role::Tool,
        Role::Assistant => wit::Role::Assistant,
        Role::User => wit::Role::User,
    };
    let event = wit::Event { session: at.session(), role, call_id: tool_call_id.as_deref() };
    ask!(to, message_start.call_observe(event) of tool_call_id.as_deref(), at at, returning 0)
}
