//! `finish-turn`: whether a run goes on.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{FinishTurn, TurnPlaces};
use seam_harness::{Failure, Moment};
use seam_loop::StopReason;
use seam_loop::hooks::Next;

use crate::bindings::exports::seam::harness::finish_turn as wit;
use crate::convert::count;
use crate::convert::message::range;
use crate::convert::model::stop;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl FinishTurn for Asked {
    async fn finish(&self, turn: &TurnPlaces, stopped: StopReason, at: &Moment) -> Result<Next, Failure> {
        let event = wit::Event {
            session: at.session(),
            turn: turn.turn,
            stop_reason: stop(stopped),
            message: count(turn.message),
            results: range(&turn.results),
        };
        Ok(match ask!(&self.0, finish_turn.call_finish(event), at at, returning 0)? {
            wit::Next::End => Next::End,
            wit::Next::Continue => Next::Continue,
            wit::Next::Pass => Next::None,
        })
    }
}
