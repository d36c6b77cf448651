//! `resources-update`: skills or prompt templates changed.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::resources_update as wit;
use crate::convert::names;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::ResourcesUpdate { skills, prompt_templates }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), skills: &names(skills), prompt_templates: &names(prompt_templates) };
    ask!(to, resources_update.call_observe(event), at at, returning 0)
}
