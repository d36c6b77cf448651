//! OpenAI's Chat Completions, and what the many services make of it that speak it too.

mod body;
mod calls;
mod details;
mod messages;
mod reader;

use serde_json::Value;

use super::{Asked, Reader, Wire};

pub(super) struct Chat;

impl Wire for Chat {
    fn path(&self, _: &str) -> String {
        "/chat/completions".to_owned()
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
