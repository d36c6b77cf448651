//! `save-point`: everything so far is stored.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::save_point as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::SavePoint { pending }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), pending: *pending };
    ask!(to, save_point.call_observe(event), at at, returning 0)
}
