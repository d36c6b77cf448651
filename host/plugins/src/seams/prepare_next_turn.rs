//! `prepare-next-turn`: model, level and messages of the next turn.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{NextTurnChange, PrepareNextTurn, TurnPlan};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::prepare_next_turn as wit;
use crate::convert::count;
use crate::convert::message::{from_new, range};
use crate::convert::model::{from_level, from_model, level, model};
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl PrepareNextTurn for Asked {
    async fn prepare(&self, turn: &TurnPlan, at: &Moment) -> Result<Vec<NextTurnChange>, Failure> {
        let event = wit::Event {
            session: at.session(),
            turn: turn.ended.turn,
            message: count(turn.ended.message),
            results: range(&turn.ended.results),
            model: model(&turn.model),
            thinking_level: level(turn.thinking_level),
        };
        let changes = ask!(&self.0, prepare_next_turn.call_prepare(event), at at, returning 0)?;
        let changes = changes.into_iter().map(|change| {
            Ok(match change {
                wit::Change::Message(message) => NextTurnChange::Message(from_new(message)?),
                wit::Change::Model(model) => NextTurnChange::Model(from_model(model)?),
                wit::Change::ThinkingLevel(level) => NextTurnChange::ThinkingLevel(from_level(level)),
            })
        });
        changes.collect()
    }
}
