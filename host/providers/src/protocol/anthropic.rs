//! Anthropic's Messages: `POST /messages`, answered with named events about numbered blocks.

mod body;
mod messages;
mod reader;
mod thinking;

use serde_json::Value;

use super::{Asked, Reader, Wire};

/// Anthropic's Messages.
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn path(&self, _: &str) -> String {
        "/messages".to_owned()
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
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
