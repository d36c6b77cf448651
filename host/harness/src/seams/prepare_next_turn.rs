//! `prepare-next-turn`: model, level and messages of the next turn.

use async_trait::async_trait;
use seam_loop::hooks::TurnChange;
use seam_loop::{Model, ThinkingLevel};

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;
use crate::seams::{NewMessage, TurnPlaces, few_messages};

const SEAM: &str = "prepare-next-turn";

/// A turn that will start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnPlan {
    /// The turn that ended.
    pub ended: TurnPlaces,
    /// The model of the next.
    pub model: Model,
    /// How much it should think.
    pub thinking_level: ThinkingLevel,
}

/// One change before a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum NextTurnChange {
    /// This message, before what is queued.
    Message(NewMessage),
    /// Another model.
    Model(Model),
    /// Another thinking level.
    ThinkingLevel(ThinkingLevel),
}

/// `prepare-next-turn`: may prepare the next turn.
#[async_trait]
pub trait PrepareNextTurn: Send + Sync {
    /// What changes.
    ///
    /// # Errors
    /// When there is no decision.
    async fn prepare(&self, turn: &TurnPlan, at: &Moment) -> Result<Vec<NextTurnChange>, Failure>;
}

impl HookBus {
    /// Passes the plan through all plugins; their messages add up.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn prepare_next_turn(
        &self,
        mut turn: TurnPlan,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<TurnChange, Refused> {
        let mut all = TurnChange::default();
        for hook in &self.prepare_next_turn {
            let changes = hook.seam.prepare(&turn, at).await;
            let changes = changes
                .and_then(|changes| few_messages(changes, |change| matches!(change, NextTurnChange::Message(_))));
            let Some(changes) = hook.answer(self.at(SEAM), changes, trail)? else { continue };
            if changes.is_empty() {
                hook.passes(SEAM, trail);
                continue;
            }
            let mut fields = Vec::new();
            for change in changes {
                match change {
                    NextTurnChange::Message(message) => {
                        fields.push("messages");
                        all.messages.push(message.from(&hook.plugin));
                    }
                    NextTurnChange::Model(model) => {
                        fields.push("model");
                        turn.model.clone_from(&model);
                        all.model = Some(model);
                    }
                    NextTurnChange::ThinkingLevel(level) => {
                        fields.push("thinking-level");
                        turn.thinking_level = level;
                        all.thinking_level = Some(level);
                    }
                }
            }
            hook.changes(SEAM, fields, trail);
        }
        Ok(all)
    }
}
