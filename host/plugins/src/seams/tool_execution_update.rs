//! `tool-execution-update`: a running tool has something so far.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::tool_execution_update as wit;
use crate::convert::content::cut;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result }) = event else { return Ok(()) };
    let (content, _) = cut(&partial_result.content);
    let details = partial_result.details.as_ref().map(ToString::to_string);
    let event = wit::Event { session: at.session(), call_id: tool_call_id, tool: tool_name, content: &content, details: details.as_deref() };
    let tool = Some(&**tool_name);
    ask!(to, tool_execution_update.call_observe(event) update tool of Some(tool_call_id), at at, returning 0)
}
