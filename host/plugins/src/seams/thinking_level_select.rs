//! `thinking-level-select`: another thinking level was chosen.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::thinking_level_select as wit;
use crate::convert::model::level;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::ThinkingLevelSelect { level: chosen, previous }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), level: level(*chosen), previous: level(*previous) };
    ask!(to, thinking_level_select.call_observe(event), at at, returning 0)
}
