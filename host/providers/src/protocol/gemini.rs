//! Google's Gemini: `generateContent`, streamed as server-sent events.

mod body;
mod reader;

use serde_json::Value;

use super::{Asked, Reader, Wire};

pub(super) struct Gemini;

impl Wire for Gemini {
    fn path(&self, model: &str) -> String {
        // A name with a slash says itself what it is a name of: `tunedModels/mine`.
        let kind = if model.contains('/') { "" } else { "models/" };
        format!("/{kind}{model}:streamGenerateContent?alt=sse")
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.to_owned())
    }

    fn body(&self, asked: &Asked<'_>) -> Value {
        body::of(asked)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(reader::Reading::default())
    }
}

#[cfg(test)]
mod tests;
