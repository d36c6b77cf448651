//! `transform-context`: which messages the model is shown in one request.

use async_trait::async_trait;

use crate::bus::{HookBus, Trail};
use crate::edits::{self, Edit, Shown};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "transform-context";

/// `transform-context`: may change which messages the model is shown. The messages are those of the moment.
#[async_trait]
pub trait TransformContext: Send + Sync {
    /// The edits.
    ///
    /// # Errors
    /// When there is no decision.
    async fn transform(&self, at: &Moment) -> Result<Vec<Edit>, Failure>;
}

impl HookBus {
    /// Passes the messages through all plugins; each sees what the one before left. Gives what is shown, if any of them
    /// changed it. The caller brings every call and its result together again.
    ///
    /// # Errors
    /// When a plugin failed that was not set to be skipped.
    pub async fn transform_context(&self, at: &Moment, trail: &mut Trail) -> Result<Option<Shown>, Refused> {
        let mut at = at.clone();
        let mut shown = None;
        for hook in &self.transform_context {
            let edited = match hook.seam.transform(&at).await {
                Ok(edits) if edits.is_empty() => Ok(None),
                Ok(edits) => edits::apply(&edits, &at, &hook.plugin).map(Some),
                Err(failure) => Err(failure),
            };
            match hook.answer(self.at(SEAM), edited, trail)? {
                Some(Some(messages)) => {
                    at = at.showing(messages.as_slice().into());
                    shown = Some(messages);
                    hook.changes(SEAM, vec!["context"], trail);
                }
                Some(None) => hook.passes(SEAM, trail),
                None => {}
            }
        }
        Ok(shown)
    }
}
