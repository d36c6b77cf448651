//! `tools-update`: the tools changed.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::tools_update as wit;
use crate::convert::names;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::ToolsUpdate { tools, active }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), tools: &names(tools), active: &names(active) };
    ask!(to, tools_update.call_observe(event), at at, returning 0)
}
