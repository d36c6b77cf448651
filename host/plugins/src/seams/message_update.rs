//! `message-update`: the model's message grows.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;
use seam_loop::event::UpdateKind;

use crate::bindings::exports::seam::harness::message_update as wit;
use crate::convert::count;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::MessageUpdate { kind, content_index, delta, tool_call_id }) = event else { return Ok(()) };
    let kind = match kind {
        UpdateKind::TextStart => wit::Kind::TextStart,
        UpdateKind::TextDelta => wit::Kind::TextDelta,
        UpdateKind::TextEnd => wit::Kind::TextEnd,
        UpdateKind::ThinkingStart => wit::Kind::ThinkingStart,
        UpdateKind::ThinkingDelta => wit::Kind::ThinkingDelta,
        UpdateKind::ThinkingEnd => wit::Kind::ThinkingEnd,
        UpdateKind::ToolcallStart => wit::Kind::CallStart,
        UpdateKind::ToolcallDelta => wit::Kind::CallDelta,
        UpdateKind::ToolcallEnd => wit::Kind::CallEnd,
    };
    let event = wit::Event { session: at.session(), kind, block: count(*content_index), delta: delta.as_deref().unwrap_or_default(), call_id: tool_call_id.as_deref() };
    ask!(to, message_update.call_observe(event) of tool_call_id.as_deref(), at at, returning 0)
}
