//! A message, as far as it says who said what: the same of an event, of an entry and of a script.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub(super) role: String,
    /// Of a result: the call.
    pub(super) call: String,
    pub(super) text: String,
    /// The calls asked for, with their arguments.
    pub(super) asked: Vec<(String, Value)>,
}

impl Said {
    pub(super) fn user(text: String) -> Self {
        Self { role: "user".to_owned(), call: String::new(), text, asked: Vec::new() }
    }

    pub(super) fn assistant(text: String, asked: Vec<(String, Value)>) -> Self {
        Self { role: "assistant".to_owned(), call: String::new(), text, asked }
    }

    pub(super) fn result(call: String, text: String) -> Self {
        Self { role: "toolResult".to_owned(), call, text, asked: Vec::new() }
    }

    /// Of a message as JSON.
    pub(super) fn of(message: &Value) -> Self {
        let word = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let asked = |block: &Value| Some((block["id"].as_str()?.to_owned(), block.get("arguments")?.clone()));
        Self {
            role: word("role"),
            call: word("toolCallId"),
            text: blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
            asked: blocks.iter().filter_map(asked).collect(),
        }
    }
}
