//! The seam `transform-context`: which messages the model is shown in one request.

use crate::bindings::transform_context::exports::seam::harness::transform_context as wit;
use crate::{Edit, Export, Instance};

pub use wit::Event as Context;

/// May change which messages the model is shown. Nothing stored changes.
///
/// The messages are read through [`conversation`](crate::conversation), as the plugin before left them. A panic stops
/// the request and ends the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `transform_context` but does not implement `TransformContext`",
    label = "missing: `impl TransformContext for {Self}`"
)]
pub trait TransformContext {
    /// Takes the list about to be sent, gives the edits; nothing when there are none.
    fn transform(&mut self, context: &Context) -> Vec<Edit>;
}

impl<P: Instance + TransformContext> wit::Guest for Export<P> {
    fn transform(event: wit::Event) -> Vec<Edit> {
        P::with(|plugin| plugin.transform(&event))
    }
}
