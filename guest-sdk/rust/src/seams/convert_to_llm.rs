//! The seam `convert-to-llm`: what the model sees of this plugin's own messages.

use crate::bindings::convert_to_llm::exports::seam::harness::convert_to_llm as wit;
use crate::{Content, CustomMessage, Export, Instance};

pub use wit::Conversion;

/// Decides what the model sees of this plugin's own messages.
///
/// Only their owner is asked. A panic stops the request and ends the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `convert_to_llm` but does not implement `ConvertToLlm`",
    label = "missing: `impl ConvertToLlm for {Self}`"
)]
pub trait ConvertToLlm {
    /// Takes a message of this plugin, gives what the model sees of it.
    fn convert(&mut self, message: &CustomMessage) -> Conversion;
}

impl Conversion {
    /// This text, as said by the user.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Content(vec![Content::Text(text.into())])
    }
}

impl<P: Instance + ConvertToLlm> wit::Guest for Export<P> {
    fn convert(event: wit::Event) -> Vec<Conversion> {
        P::with(|plugin| event.messages.iter().map(|message| plugin.convert(message)).collect())
    }
}
