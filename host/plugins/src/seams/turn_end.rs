//! `turn-end`: a turn is over.

use seam_harness::{Event, Failure, Moment};
use seam_loop::AgentEvent;

use crate::bindings::exports::seam::harness::turn_end as wit;
use crate::convert::count;
use crate::convert::message::range;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::TurnEnd { turn, tool_results, .. }) = event else { return Ok(()) };
    let results = at.length().saturating_sub(tool_results.len())..at.length();
    let event = wit::Event { session: at.session(), turn: *turn, message: count(results.start.saturating_sub(1)), results: range(&results) };
    ask!(to, turn_end.call_observe(event), at at, returning 0)
}
