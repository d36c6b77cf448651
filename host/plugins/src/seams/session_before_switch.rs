//! `session-before-switch`: whether the session is left.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Permission, SessionBeforeSwitch};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::session_before_switch as wit;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl SessionBeforeSwitch for Asked {
    async fn decide(&self, to: Option<&str>, at: &Moment) -> Result<Permission, Failure> {
        let event = wit::Event { session: at.session(), to };
        Ok(match ask!(&self.0, session_before_switch.call_decide(event), at at, returning 0)? {
            wit::Outcome::Cancel(reason) => Permission::Cancel(reason),
            wit::Outcome::Proceed => Permission::Proceed,
        })
    }
}
