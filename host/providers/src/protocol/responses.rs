//! OpenAI's Responses. Nothing is kept at the service: each request has the whole conversation, reasoning included, as the
//! service encrypted it.
//!
//! From the public description of the API (`POST /v1/responses` and its streaming events), as of December 2026.

mod body;
mod event;
mod items;
mod phase;
mod reader;

use serde_json::Value;

use super::{Asked, Reader, Wire};

pub(super) struct Responses;

impl Wire for Responses {
    fn path(&self, _: &str) -> String {
        "/responses".to_owned()
    }

    fn body(&self, asked: &Asked<'_>) -> Value {
        body::body(asked)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(reader::Reading::default())
    }
}

#[cfg(test)]
mod tests;
