//! The hooks between turns.

use seam_loop::hooks::{Next, TurnChange, TurnView};
use seam_loop::{CancellationToken, HookError};
use serde_json::{Value, json};

use super::Recorded;
use crate::conform::{parse, render};

impl Recorded {
    pub(super) async fn finished(&self, turn: TurnView<'_>, abort: &CancellationToken) -> Result<Next, HookError> {
        let rule = self.ask("finishTurn", self.of_turn(turn), Some(abort)).await?;
        if rule.get("mutateResults").is_some() {
            self.stage.unsupported("`finishTurn` that changes results in place: hooks get values");
        }
        match rule.get("action").map(|action| action.as_str().unwrap_or_default()) {
            None => Ok(Next::None),
            Some("end") => Ok(Next::End),
            Some("continue") => Ok(Next::Continue),
            Some(other) => {
                self.stage.unsupported(format!("`finishTurn` that answers `{other}`: answers are typed"));
                Ok(Next::None)
            }
        }
    }

    pub(super) async fn next_turn(&self, abort: &CancellationToken) -> Result<TurnChange, HookError> {
        let rule = self.ask("prepareNextTurn", json!({}), Some(abort)).await?;
        Ok(self.turn_change(&rule["set"]))
    }

    pub(super) async fn next_turn_with_context(
        &self,
        turn: TurnView<'_>,
        abort: &CancellationToken,
    ) -> Result<TurnChange, HookError> {
        let rule = self.ask("prepareNextTurnWithContext", self.of_turn(turn), Some(abort)).await?;
        let set = &rule["set"];
        let mut change = self.turn_change(set);
        if set["contextFromNewMessages"] == true {
            change.context = Some(turn.new_messages.to_vec());
        }
        if let Some(edit) = set.get("context")
            && let Some(shown) = self.edited(edit, self.system.in_context(), turn.context)
        {
            self.system.show_in_context(shown.system);
            change.context = Some(shown.messages);
        }
        Ok(change)
    }

    fn turn_change(&self, set: &Value) -> TurnChange {
        TurnChange {
            model: set["model"].as_str().map(|id| self.stage.model(id)),
            thinking_level: set.get("thinkingLevel").and_then(|level| self.stage.supported(parse::typed(level))),
            context: None,
            messages: self.stage.supported(parse::messages(&set["messages"])).unwrap_or_default(),
            ..TurnChange::default()
        }
    }

    fn of_turn(&self, turn: TurnView<'_>) -> Value {
        json!({
            "stopReason": turn.message.stop_reason,
            "toolResults": render::result_ids(turn.tool_results),
            "messageCount": turn.context.len() + usize::from(self.system.in_context()),
            "newMessageCount": turn.new_messages.len(),
        })
    }
}
