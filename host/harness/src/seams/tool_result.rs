//! `tool-result`: what is told of a call, to anyone.

use async_trait::async_trait;
use seam_loop::{Change, Ruling, ToolOutput};

use crate::bus::{HookBus, Trail};
use crate::dispatcher::FinalCall;
use crate::failure::Failure;
use crate::moment::Moment;
use crate::texts;

const SEAM: &str = "tool-result";

/// The decision of a patch.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nobody sees it, for this reason.
    Withhold(String),
    /// It changes, in this order.
    Change(Vec<Change>),
    /// It stays.
    Keep,
}

/// `tool-result`: may change or withhold what is told.
#[async_trait]
pub trait ToolResultPatch: Send + Sync {
    /// What becomes of the result. `partial`: it is a live update.
    ///
    /// # Errors
    /// When there is no decision.
    async fn review(
        &self,
        call: &FinalCall,
        output: &ToolOutput,
        partial: bool,
        at: &Moment,
    ) -> Result<Outcome, Failure>;
}

impl HookBus {
    /// Passes a result through all patches. Each sees it as the one before left it; withholding stops.
    pub(crate) async fn patch_result(
        &self,
        call: &FinalCall,
        mut output: ToolOutput,
        at: &Moment,
        trail: &mut Trail,
    ) -> ToolOutput {
        for patch in &self.tool_result {
            match patch.answer(SEAM, patch.seam.review(call, &output, false, at).await, trail) {
                Ok(Some(Outcome::Keep)) => patch.passes(SEAM, trail),
                Ok(Some(Outcome::Change(changes))) => {
                    patch.changes(SEAM, changes.iter().map(Change::field).collect(), trail);
                    changes.into_iter().for_each(|change| change.apply(&mut output));
                }
                Ok(Some(Outcome::Withhold(reason))) => {
                    let reason = texts::clean(&reason);
                    let text = texts::withheld(&patch.plugin, &reason);
                    patch.rules(SEAM, Ruling::Withhold { reason }, trail);
                    return ToolOutput::error(text);
                }
                Ok(None) => {}
                Err(refused) => return ToolOutput::error(texts::failed_after(&refused)),
            }
        }
        output
    }

    /// Passes a live update through all patches. One that is withheld, or that a patch failed on, is not shown.
    pub(crate) async fn patch_update(
        &self,
        call: &FinalCall,
        mut partial: ToolOutput,
        at: &Moment,
        updates: &(dyn Fn(ToolOutput) + Sync),
    ) {
        for patch in &self.tool_result {
            match patch.seam.review(call, &partial, true, at).await {
                Ok(Outcome::Keep) => {}
                Ok(Outcome::Change(changes)) => changes.into_iter().for_each(|change| change.apply(&mut partial)),
                Ok(Outcome::Withhold(_)) => return,
                Err(failure) => {
                    tracing::warn!(plugin = &*patch.plugin, %failure, "a live update was not checked");
                    if patch.refuses() {
                        return;
                    }
                }
            }
        }
        updates(partial);
    }
}
