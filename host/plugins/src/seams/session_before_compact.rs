//! `session-before-compact`: whether the session is compacted, and with which summary.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{CompactOutcome, CompactReason, Compaction, SessionBeforeCompact, Summary};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::session_before_compact as wit;
use crate::convert::json;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl SessionBeforeCompact for Asked {
    async fn decide(&self, compaction: &Compaction, at: &Moment) -> Result<CompactOutcome, Failure> {
        let event = wit::Event {
            session: at.session(),
            reason: reason(compaction.reason),
            tokens: compaction.tokens,
            first_kept: compaction.first_kept,
            previous_summary: compaction.previous_summary.as_deref(),
            instructions: compaction.instructions.as_deref(),
        };
        Ok(match ask!(&self.0, session_before_compact.call_decide(event), at at, returning 0)? {
            wit::Outcome::Cancel(reason) => CompactOutcome::Cancel(reason),
            wit::Outcome::Summary(wit::Summary { text, details }) => {
                let details = details.map(|details| json("the details", &details)).transpose()?;
                CompactOutcome::Summary(Summary { text, details })
            }
            wit::Outcome::Proceed => CompactOutcome::Proceed,
        })
    }
}

fn reason(reason: CompactReason) -> wit::Reason {
    match reason {
        CompactReason::Overflow => wit::Reason::Overflow,
        CompactReason::Threshold => wit::Reason::Threshold,
        CompactReason::Manual => wit::Reason::Manual,
    }
}
