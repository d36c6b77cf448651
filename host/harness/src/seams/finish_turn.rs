//! `finish-turn`: whether a run goes on after a turn.

use async_trait::async_trait;
use seam_loop::StopReason;
use seam_loop::hooks::Next;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;
use crate::seams::TurnPlaces;

const SEAM: &str = "finish-turn";

/// `finish-turn`: may end a run after a turn, or keep it going.
#[async_trait]
pub trait FinishTurn: Send + Sync {
    /// How the run goes on.
    ///
    /// # Errors
    /// When there is no decision.
    async fn finish(&self, turn: &TurnPlaces, stop: StopReason, at: &Moment) -> Result<Next, Failure>;
}

impl HookBus {
    /// Asks all plugins; an end of any beats going on of any other.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn finish_turn(
        &self,
        turn: &TurnPlaces,
        stop: StopReason,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<Next, Refused> {
        let mut all = Next::None;
        for hook in &self.finish_turn {
            match hook.answer(self.at(SEAM), hook.seam.finish(turn, stop, at).await, trail)? {
                Some(Next::End) => {
                    hook.changes(SEAM, vec!["end"], trail);
                    all = Next::End;
                }
                Some(Next::Continue) => {
                    hook.changes(SEAM, vec!["continue"], trail);
                    all = if all == Next::End { all } else { Next::Continue };
                }
                Some(Next::None) => hook.passes(SEAM, trail),
                None => {}
            }
        }
        Ok(all)
    }
}
