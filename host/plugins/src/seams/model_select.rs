//! `model-select`: another model was chosen.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::model_select as wit;
use crate::convert::model::model;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::ModelSelect { model: chosen, previous }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), model: model(chosen), previous: model(previous) };
    ask!(to, model_select.call_observe(event), at at, returning 0)
}
