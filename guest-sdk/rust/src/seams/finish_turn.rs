//! The seam `finish-turn`: whether a run ends after a turn.

use crate::bindings::finish_turn::exports::seam::harness::finish_turn as wit;
use crate::{Export, Instance};

pub use wit::{Event as Turn, Next};

/// May end a run after a turn, or keep it going. `End` of any plugin beats `Continue` of any other.
///
/// The turn's messages are read through [`conversation`](crate::conversation). A panic is reported and the run goes on
/// as it would have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `finish_turn` but does not implement `FinishTurn`",
    label = "missing: `impl FinishTurn for {Self}`"
)]
pub trait FinishTurn {
    /// Takes the turn whose results are final, gives how the run goes on.
    fn finish(&mut self, turn: &Turn) -> Next;
}

impl<P: Instance + FinishTurn> wit::Guest for Export<P> {
    fn finish(event: wit::Event) -> Next {
        P::with(|plugin| plugin.finish(&event))
    }
}
