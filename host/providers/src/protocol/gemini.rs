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
        let segments: Vec<String> = model.split('/').map(segment).collect();
        format!("/{kind}{}:streamGenerateContent?alt=sse", segments.join("/"))
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

/// A part of a name as a part of a path, which it cannot leave.
fn segment(part: &str) -> String {
    if part.is_empty() || part.bytes().all(|byte| byte == b'.') {
        return "_".to_owned();
    }
    let mut segment = String::new();
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => segment.push(byte.into()),
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests;
