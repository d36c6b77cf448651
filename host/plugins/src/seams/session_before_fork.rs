//! `session-before-fork`: whether the session is forked.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Fork, Permission, SessionBeforeFork};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::session_before_fork as wit;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl SessionBeforeFork for Asked {
    async fn decide(&self, fork: &Fork, at: &Moment) -> Result<Permission, Failure> {
        let position = if fork.holds_entry { wit::Position::At } else { wit::Position::Before };
        let event = wit::Event { session: at.session(), entry: &fork.entry, position };
        Ok(match ask!(&self.0, session_before_fork.call_decide(event), at at, returning 0)? {
            wit::Outcome::Cancel(reason) => Permission::Cancel(reason),
            wit::Outcome::Proceed => Permission::Proceed,
        })
    }
}
