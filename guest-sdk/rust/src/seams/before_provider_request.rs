//! The seam `before-provider-request`: the headers and options of a request to a provider.

use serde::Serialize;

use crate::bindings::before_provider_request::exports::seam::harness::before_provider_request as wit;
use crate::{Export, Header, Instance};

pub use wit::{Change, Event as Request, OptionValue};

/// May change the headers and options of a request, but none that carries a key.
///
/// Several plugins form a chain. A panic stops the request and ends the run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `before_provider_request` but does not implement `BeforeProviderRequest`",
    label = "missing: `impl BeforeProviderRequest for {Self}`"
)]
pub trait BeforeProviderRequest {
    /// Takes the request, gives what changes, in order; nothing when the list is empty.
    fn patch(&mut self, request: &Request) -> Vec<Change>;
}

impl Change {
    /// Without the header of this name.
    pub fn delete_header(name: impl Into<String>) -> Self {
        Self::DeleteHeader(name.into())
    }

    /// With this header.
    pub fn set_header(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::SetHeader(Header { name: name.into(), value: value.into() })
    }

    /// Without the option of this name.
    pub fn delete_option(name: impl Into<String>) -> Self {
        Self::DeleteOption(name.into())
    }

    /// With this option: any value that serialises to JSON.
    ///
    /// # Panics
    ///
    /// When `value` cannot be written as JSON. The request is stopped then.
    #[track_caller]
    pub fn set_option<T: Serialize + ?Sized>(name: impl Into<String>, value: &T) -> Self {
        Self::SetOption(OptionValue { name: name.into(), value: crate::json::write("an option", value) })
    }
}

impl<P: Instance + BeforeProviderRequest> wit::Guest for Export<P> {
    fn patch(event: wit::Event) -> Vec<Change> {
        P::with(|plugin| plugin.patch(&event))
    }
}
