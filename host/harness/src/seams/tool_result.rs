//! `tool-result`: what is told of a call, to anyone.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::{Change, Ruling, ToolOutput};

use crate::bus::{Hook, HookBus, Trail};
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
            match patch.answer(self.about(SEAM, &call.id), patch.seam.review(call, &output, false, at).await, trail) {
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
}

/// The live updates of one call, on their way through all patches.
#[derive(Default)]
pub(crate) struct LiveUpdates {
    /// The patches that failed on one.
    failed: Vec<Arc<str>>,
    /// What is told of that.
    failures: Trail,
    /// A patch failed that refuses: none is shown any more.
    over: bool,
}

impl LiveUpdates {
    /// Passes one on. It is not shown when it is withheld, or when a patch failed on it that refuses.
    pub(crate) async fn pass(
        &mut self,
        bus: &HookBus,
        call: &FinalCall,
        mut partial: ToolOutput,
        at: &Moment,
        updates: &(dyn Fn(ToolOutput) + Sync),
    ) {
        if self.over {
            return;
        }
        for patch in &bus.tool_result {
            // A call may have thousands: a shadow does not hold them up for nothing.
            if patch.shadow && self.failed.contains(&patch.plugin) {
                continue;
            }
            match patch.seam.review(call, &partial, true, at).await {
                Ok(_) if patch.shadow => {}
                Ok(Outcome::Keep) => {}
                Ok(Outcome::Change(changes)) => changes.into_iter().for_each(|change| change.apply(&mut partial)),
                Ok(Outcome::Withhold(_)) => return,
                Err(failure) => {
                    let failure = patch.recorded(bus.about(SEAM, &call.id), failure);
                    self.note(patch, &failure);
                    if self.over {
                        return;
                    }
                }
            }
        }
        updates(partial);
    }

    /// Notes a failure, the first of each patch. Nothing is told of one of a shadow.
    fn note(&mut self, patch: &Hook<dyn ToolResultPatch>, failure: &Failure) {
        self.over = patch.refuses(failure);
        let is_first = !self.failed.contains(&patch.plugin);
        if is_first {
            self.failed.push(Arc::clone(&patch.plugin));
        }
        if self.over || (is_first && !patch.shadow) {
            let (refused, failure) = (self.over, texts::failed_on_update(failure, self.over));
            patch.rules(SEAM, Ruling::Failure { failure, refused }, &mut self.failures);
        }
    }

    /// Notes which patches failed on them, once each.
    pub(crate) fn end(self, trail: &mut Trail) {
        trail.extend(self.failures);
    }
}
