//! The seam `resources-discover`: skills and prompt templates, as content.

use crate::bindings::resources_discover::exports::seam::harness::resources_discover as wit;
use crate::{Export, Instance};

pub use wit::{Document, Event as Occasion, Offer, Reason};

/// May offer skills and prompt templates, when a session starts and when the user reloads.
///
/// What several plugins offer adds up. A panic is reported and its resources are missing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `resources_discover` but does not implement `ResourcesDiscover`",
    label = "missing: `impl ResourcesDiscover for {Self}`"
)]
pub trait ResourcesDiscover {
    /// Takes the session that wants to know, gives what there is.
    fn discover(&mut self, occasion: &Occasion) -> Vec<Offer>;
}

impl Document {
    /// A text under a name of at most 64 lower-case letters, digits and `-`, and what it is for, in a line.
    pub fn new(name: impl Into<String>, description: impl Into<String>, content: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), content: content.into() }
    }
}

impl<P: Instance + ResourcesDiscover> wit::Guest for Export<P> {
    fn discover(event: wit::Event) -> Vec<Offer> {
        P::with(|plugin| plugin.discover(&event))
    }
}
