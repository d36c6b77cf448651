//! `session-before-tree`: whether the user moves in the session's tree.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{SessionBeforeTree, TreeChange, TreeMove, TreeOutcome};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::session_before_tree as wit;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl SessionBeforeTree for Asked {
    async fn decide(&self, to: &TreeMove, at: &Moment) -> Result<TreeOutcome, Failure> {
        let event = wit::Event {
            session: at.session(),
            target: &to.target,
            old_leaf: to.old_leaf.as_deref(),
            entries: to.entries,
            wants_summary: to.wants_summary,
            instructions: to.instructions.as_deref(),
        };
        Ok(match ask!(&self.0, session_before_tree.call_decide(event), at at, returning 0)? {
            wit::Outcome::Cancel(reason) => TreeOutcome::Cancel(reason),
            wit::Outcome::Change(changes) => TreeOutcome::Change(changes.into_iter().map(change).collect()),
            wit::Outcome::Proceed => TreeOutcome::Proceed,
        })
    }
}

fn change(change: wit::Change) -> TreeChange {
    match change {
        wit::Change::Summary(text) => TreeChange::Summary(text),
        wit::Change::Instructions(text) => TreeChange::Instructions(text),
        wit::Change::Label(text) => TreeChange::Label(text),
    }
}
