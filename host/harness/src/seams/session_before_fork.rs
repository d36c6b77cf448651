//! `session-before-fork`: whether a session is forked.

use async_trait::async_trait;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Stopped};
use crate::moment::Moment;
use crate::seams::{Permission, permission};

const SEAM: &str = "session-before-fork";

/// A fork that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The id of the entry it begins at.
    pub entry: String,
    /// Whether it holds that entry.
    pub holds_entry: bool,
}

/// `session-before-fork`: may cancel a fork.
#[async_trait]
pub trait SessionBeforeFork: Send + Sync {
    /// Whether it is made.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, fork: &Fork, at: &Moment) -> Result<Permission, Failure>;
}

impl HookBus {
    /// Asks one plugin after another; the first that cancels stops.
    ///
    /// # Errors
    /// Who stopped it.
    pub async fn session_before_fork(&self, fork: &Fork, at: &Moment, trail: &mut Trail) -> Result<(), Stopped> {
        for hook in &self.session_before_fork {
            permission(hook, self.at(SEAM), hook.seam.decide(fork, at).await, trail)?;
        }
        Ok(())
    }
}
