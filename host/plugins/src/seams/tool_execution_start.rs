//! `tool-execution-start`: a tool call begins.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::tool_execution_start as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args }) = event else { return Ok(()) };
    let arguments = args.to_string();
    let event = wit::Event { session: at.session(), call_id: tool_call_id, tool: tool_name, arguments: &arguments };
    ask!(to, tool_execution_start.call_observe(event) of Some(tool_call_id), at at, returning 0)
}
