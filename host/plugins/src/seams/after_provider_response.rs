//! `after-provider-response`: the head of a response arrived.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::after_provider_response as wit;
use crate::bindings::seam::harness::types::HeaderParam;
use crate::convert::model::model;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::AfterProviderResponse { model: asked, status, headers }) = event else { return Ok(()) };
    let headers: Vec<_> =
        headers.iter().map(|header| HeaderParam { name: &header.name, value: &header.value }).collect();
    let event = wit::Event { session: at.session(), model: model(asked), status: (*status).into(), headers: &headers };
    ask!(to, after_provider_response.call_observe(event), at at, returning 0)
}
