//! `session-before-compact`: whether a session is compacted, and with which summary.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Stopped};
use crate::moment::Moment;
use crate::seams::{Permission, permission};

const SEAM: &str = "session-before-compact";

/// Why a compaction is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactReason {
    /// The context no longer fits the model.
    Overflow,
    /// It is nearly full.
    Threshold,
    /// The user asked for it.
    Manual,
}

/// A compaction that is about to be made. Its messages are those of the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Why.
    pub reason: CompactReason,
    /// Tokens in the context now.
    pub tokens: u32,
    /// The place of the first message that is kept.
    pub first_kept: u32,
    /// The summary of the compaction before.
    pub previous_summary: Option<String>,
    /// What the user wants the summary to hold.
    pub instructions: Option<String>,
}

/// What stands for the messages that are not kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// What the plugin adds for programs.
    pub details: Option<Value>,
}

/// What becomes of a compaction.
#[derive(Debug, Clone, PartialEq)]
pub enum CompactOutcome {
    /// It is not made, for this reason.
    Cancel(String),
    /// This summary.
    Summary(Summary),
    /// Nothing against it.
    Proceed,
}

/// `session-before-compact`: may cancel a compaction, or supply its summary.
#[async_trait]
pub trait SessionBeforeCompact: Send + Sync {
    /// What becomes of it.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, compaction: &Compaction, at: &Moment) -> Result<CompactOutcome, Failure>;
}

impl HookBus {
    /// Asks all plugins; the first that cancels stops. Gives the last summary and who supplied it.
    ///
    /// # Errors
    /// Who stopped it.
    pub async fn session_before_compact(
        &self,
        compaction: &Compaction,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<Option<(Arc<str>, Summary)>, Stopped> {
        let mut supplied = None;
        for hook in &self.session_before_compact {
            let answer = match hook.seam.decide(compaction, at).await {
                Ok(CompactOutcome::Summary(Summary { text, .. })) if text.trim().is_empty() => {
                    Err(Failure::InvalidAnswer("its summary is empty".to_owned()))
                }
                Ok(CompactOutcome::Summary(summary)) if !hook.shadow => {
                    hook.changes(SEAM, vec!["summary"], trail);
                    supplied = Some((Arc::clone(&hook.plugin), summary));
                    continue;
                }
                Ok(CompactOutcome::Cancel(reason)) => Ok(Permission::Cancel(reason)),
                Ok(CompactOutcome::Summary(_) | CompactOutcome::Proceed) => Ok(Permission::Proceed),
                Err(failure) => Err(failure),
            };
            permission(hook, self.at(SEAM), answer, trail)?;
        }
        Ok(supplied)
    }
}
