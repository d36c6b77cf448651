//! Anthropic's Messages: `POST /messages`, answered with named events about numbered blocks.

mod body;
mod messages;
mod reader;
mod thinking;

use serde_json::Value;

use super::{Asked, Reader, Wire};

/// The version of the protocol.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Anthropic's Messages.
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn path(&self, _: &str) -> String {
        "/messages".to_owned()
    }

    fn headers(&self, model: &str) -> &'static [(&'static str, &'static str)] {
        match thinking::is_bound(model) {
            true => &[VERSION, ("anthropic-beta", "thinking-binding-controls-2026-08-01")],
            false => &[VERSION],
        }
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.to_owned())
    }

    fn body(&self, asked: &Asked<'_>) -> Value {
        body::body(asked)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<reader::Reading>::default()
    }
}

#[cfg(test)]
mod tests;
