//! `input`: what the user says.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Input, Received, Said, Source};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::input as wit;
use crate::convert::content::{from_image, images, size};
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl Input for Asked {
    async fn receive(&self, said: &Said, at: &Moment) -> Result<Received, Failure> {
        let images = images(&said.images);
        let event = wit::Event { text: &said.text, images: &images, source: source(said.source) };
        let returned = 2 * (said.text.len() + size(&said.images));
        Ok(match ask!(&self.0, input.call_receive(event), at at, returning returned)? {
            wit::Outcome::Handled(reply) => Received::Handled(reply),
            wit::Outcome::Replace(instead) => {
                Received::Replace(instead.text, instead.images.into_iter().map(from_image).collect::<Result<_, _>>()?)
            }
            wit::Outcome::Pass => Received::Pass,
        })
    }
}

fn source(source: Source) -> wit::Source {
    match source {
        Source::Plugin => wit::Source::Plugin,
        Source::Program => wit::Source::Program,
        Source::User => wit::Source::User,
    }
}
