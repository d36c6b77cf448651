//! `session-tree`: the user moved in the session's tree.

use seam_harness::{Event, Failure, Moment, SessionEvent};

use crate::bindings::exports::seam::harness::session_tree as wit;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Session(SessionEvent::SessionTree { new_leaf, old_leaf, from_plugin }) = event else { return Ok(()) };
    let event = wit::Event { session: at.session(), new_leaf: new_leaf.as_deref(), old_leaf: old_leaf.as_deref(), from_plugin: from_plugin.as_deref() };
    ask!(to, session_tree.call_observe(event), at at, returning 0)
}
