//! The seam `before-provider-payload`: the body of a request to a provider, the last place before it leaves.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::before_provider_payload::exports::seam::harness::before_provider_payload as wit;
use crate::{Export, Instance, json};

pub use wit::{Event as Payload, Outcome};

/// May change the body of a request.
///
/// Several plugins form a chain. A panic stops the request and ends the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `before_provider_payload` but does not implement `BeforeProviderPayload`",
    label = "missing: `impl BeforeProviderPayload for {Self}`"
)]
pub trait BeforeProviderPayload {
    /// Takes the body, gives what becomes of it.
    fn review(&mut self, payload: &Payload) -> Outcome;
}

impl Payload {
    /// The body as a `T`.
    ///
    /// # Panics
    ///
    /// When it is no `T`. The request is stopped then.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        json::read("the payload", &self.payload)
    }
}

impl Outcome {
    /// This body instead: any value that serialises to JSON.
    ///
    /// # Panics
    ///
    /// When `payload` cannot be written as JSON. The request is stopped then.
    #[track_caller]
    pub fn replace<T: Serialize + ?Sized>(payload: &T) -> Self {
        Self::Replace(json::write("a payload", payload))
    }

    /// The body after this JSON Patch (RFC 6902). All of it applies, or it is this plugin's failure.
    ///
    /// # Panics
    ///
    /// When `patch` cannot be written as JSON. The request is stopped then.
    #[track_caller]
    pub fn patch<T: Serialize + ?Sized>(patch: &T) -> Self {
        Self::Patch(json::write("a patch", patch))
    }
}

impl<P: Instance + BeforeProviderPayload> wit::Guest for Export<P> {
    fn review(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.review(&event))
    }
}
