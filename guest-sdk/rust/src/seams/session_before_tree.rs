//! The seam `session-before-tree`: a move in the session's tree that is about to be made.

use crate::bindings::session_before_tree::exports::seam::harness::session_before_tree as wit;
use crate::{Export, Instance};

pub use wit::{Change, Event as Move, Outcome};

/// May cancel that the user moves to another place of the tree, or say what is kept of the branch that is left.
///
/// The first `Cancel` stops; of changes the last value of each kind stands. A panic cancels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `session_before_tree` but does not implement `SessionBeforeTree`",
    label = "missing: `impl SessionBeforeTree for {Self}`"
)]
pub trait SessionBeforeTree {
    /// Takes the move, gives what becomes of it.
    fn decide(&mut self, step: &Move) -> Outcome;
}

impl Outcome {
    /// It does not happen, for this reason.
    pub fn cancel(reason: impl Into<String>) -> Self {
        Self::Cancel(reason.into())
    }
}

impl<P: Instance + SessionBeforeTree> wit::Guest for Export<P> {
    fn decide(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.decide(&event))
    }
}
