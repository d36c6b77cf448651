//! The seam `get-api-key`: the key of a provider.

use crate::bindings::get_api_key::exports::seam::harness::get_api_key as wit;
use crate::{Export, Instance};

pub use wit::Answer;

/// May supply the key of a provider, before each request.
///
/// The first answer of several plugins wins. A panic is reported and the next plugin is asked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `get_api_key` but does not implement `GetApiKey`",
    label = "missing: `impl GetApiKey for {Self}`"
)]
pub trait GetApiKey {
    /// Takes the provider's name, such as `anthropic`, gives its key.
    fn get(&mut self, provider: &str) -> Answer;
}

impl<P: Instance + GetApiKey> wit::Guest for Export<P> {
    fn get(event: wit::Event) -> Answer {
        P::with(|plugin| plugin.get(&event.provider))
    }
}
