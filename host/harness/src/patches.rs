//! The `tool-result` chain: what is told of a call, to anyone.

use seam_loop::{Decision, Ruling, ToolOutput};

use crate::bus::HookBus;
use crate::dispatcher::FinalCall;
use crate::seams::{Change, Outcome};
use crate::texts;

const SEAM: &str = "tool-result";

impl HookBus {
    /// Passes a result through all patches. Each sees it as the one before left it; withholding stops.
    pub(crate) async fn patch_result(
        &self,
        call: &FinalCall,
        mut output: ToolOutput,
        trail: &mut Vec<Decision>,
    ) -> ToolOutput {
        for patch in &self.patches {
            match patch.seam.review(call, &output, false).await {
                Ok(Outcome::Keep) => trail.push(patch.decision(SEAM, Ruling::Proceed)),
                Ok(Outcome::Change(changes)) => {
                    let mut fields: Vec<&str> = changes.iter().map(Change::field).collect();
                    fields.sort_unstable();
                    fields.dedup();
                    trail.push(patch.decision(SEAM, Ruling::Change { fields }));
                    changes.into_iter().for_each(|change| change.apply(&mut output));
                }
                Ok(Outcome::Withhold(reason)) => {
                    let reason = texts::clean(&reason);
                    let text = texts::withheld(&patch.plugin, &reason);
                    trail.push(patch.decision(SEAM, Ruling::Withhold { reason }));
                    return ToolOutput::error(text);
                }
                Err(failure) => {
                    if patch.failed(SEAM, &failure, trail) {
                        return ToolOutput::error(texts::failed_after(&patch.plugin, &failure));
                    }
                }
            }
        }
        output
    }

    /// Passes a live update through all patches. One that is withheld, or that a patch failed on, is not shown.
    pub(crate) async fn patch_update(
        &self,
        call: &FinalCall,
        mut partial: ToolOutput,
        updates: &(dyn Fn(ToolOutput) + Sync),
    ) {
        for patch in &self.patches {
            match patch.seam.review(call, &partial, true).await {
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
