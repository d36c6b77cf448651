//! The seam `input`: what the user says, before anything else happens.

use crate::bindings::input::exports::seam::harness::input as wit;
use crate::{Export, Instance};

pub use wit::{Event as Said, Outcome, Replacement, Source};

/// May change what the user says, or answer it.
///
/// Several plugins form a chain. A panic is reported and the input goes on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `input` but does not implement `Input`",
    label = "missing: `impl Input for {Self}`"
)]
pub trait Input {
    /// Takes what is said, gives what becomes of it.
    fn receive(&mut self, said: &Said) -> Outcome;
}

impl Said {
    /// This text instead, with the same pictures.
    pub fn replaced(&self, text: impl Into<String>) -> Outcome {
        Outcome::Replace(Replacement { text: text.into(), images: self.images.clone() })
    }
}

impl Outcome {
    /// It goes no further; the user reads `reply`, or nothing when it is empty.
    pub fn handled(reply: impl Into<String>) -> Self {
        Self::Handled(reply.into())
    }
}

impl<P: Instance + Input> wit::Guest for Export<P> {
    fn receive(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.receive(&event))
    }
}
