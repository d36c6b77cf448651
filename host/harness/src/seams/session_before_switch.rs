//! `session-before-switch`: whether the user leaves this session for another.

use async_trait::async_trait;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Stopped};
use crate::moment::Moment;
use crate::seams::{Permission, permission};

const SEAM: &str = "session-before-switch";

/// `session-before-switch`: may cancel that the session is left.
#[async_trait]
pub trait SessionBeforeSwitch: Send + Sync {
    /// Whether it is left for the session `to`, or for a new one.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, to: Option<&str>, at: &Moment) -> Result<Permission, Failure>;
}

impl HookBus {
    /// Asks one plugin after another; the first that cancels stops.
    ///
    /// # Errors
    /// Who stopped it.
    pub async fn session_before_switch(&self, to: Option<&str>, at: &Moment, trail: &mut Trail) -> Result<(), Stopped> {
        for hook in &self.session_before_switch {
            permission(hook, self.at(SEAM), hook.seam.decide(to, at).await, trail)?;
        }
        Ok(())
    }
}
