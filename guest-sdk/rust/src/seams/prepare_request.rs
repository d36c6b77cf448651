//! The seam `prepare-request`: the model and what it is shown, before each request.

use crate::bindings::prepare_request::exports::seam::harness::prepare_request as wit;
use crate::{Edit, Export, Instance, Model, ThinkingLevel};

pub use wit::{Change, ContextChange, Event as Request, LevelChange, ModelChange, Scope};

/// May choose the model, how much it thinks, and the messages it is shown.
///
/// The messages are read through [`conversation`](crate::conversation), as the plugin before left them. A panic stops
/// the request and ends the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `prepare_request` but does not implement `PrepareRequest`",
    label = "missing: `impl PrepareRequest for {Self}`"
)]
pub trait PrepareRequest {
    /// Takes the request, gives what changes; at most one change of each kind.
    fn prepare(&mut self, request: &Request) -> Vec<Change>;
}

impl Change {
    /// Other messages. What is stored stays as it is.
    pub fn context(edits: impl IntoIterator<Item = Edit>, scope: Scope) -> Self {
        Self::Context(ContextChange { edits: edits.into_iter().collect(), scope })
    }

    /// Another model.
    pub fn model(model: Model, scope: Scope) -> Self {
        Self::Model(ModelChange { model, scope })
    }

    /// Another thinking level.
    pub fn thinking_level(level: ThinkingLevel, scope: Scope) -> Self {
        Self::ThinkingLevel(LevelChange { level, scope })
    }
}

impl<P: Instance + PrepareRequest> wit::Guest for Export<P> {
    fn prepare(event: wit::Event) -> Vec<Change> {
        P::with(|plugin| plugin.prepare(&event))
    }
}
