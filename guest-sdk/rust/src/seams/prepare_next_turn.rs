//! The seam `prepare-next-turn`: what changes before the next turn.

use crate::bindings::prepare_next_turn::exports::seam::harness::prepare_next_turn as wit;
use crate::{Export, Instance};

pub use wit::{Change, Event as Turn};

/// May prepare the next turn: another model, another level, messages for the model.
///
/// Several plugins form a chain; their messages add up. A panic is reported and the turn starts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `prepare_next_turn` but does not implement `PrepareNextTurn`",
    label = "missing: `impl PrepareNextTurn for {Self}`"
)]
pub trait PrepareNextTurn {
    /// Takes the turn that ended, gives what changes to the end of the run; nothing when the list is empty.
    fn prepare(&mut self, turn: &Turn) -> Vec<Change>;
}

impl<P: Instance + PrepareNextTurn> wit::Guest for Export<P> {
    fn prepare(event: wit::Event) -> Vec<Change> {
        P::with(|plugin| plugin.prepare(&event))
    }
}
