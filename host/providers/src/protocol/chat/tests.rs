//! What is sent, compared as a whole, and what is made of what comes.

mod body;
mod calls;
mod reader;

use seam_loop::{Model, ToolDefinition};
use serde_json::{Value, json};

use super::Chat;
use crate::answer::Answer;
use crate::conversation::Turn;
use crate::options::CacheRetention;
use crate::protocol::{Asked, Wire};

fn model() -> Model {
    Model { provider: "here".to_owned(), id: "some-model".to_owned() }
}

/// The simplest request.
fn asked(turns: Vec<Turn<'_>>) -> Asked<'_> {
    Asked {
        model: "some-model",
        thinking: None,
        thinks: false,
        can_think: true,
        system: "",
        turns,
        tools: &[],
        max_tokens: 4096,
        is_limited: false,
        temperature: None,
        cache: CacheRetention::Short,
        quirks: &[],
    }
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: "look".into(),
        description: "Looks at a file.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
        mode: seam_loop::tool::ExecutionMode::Parallel,
        replay: seam_loop::tool::Replay::Never,
    }
}

/// An answer of which nothing came yet.
fn answer() -> Answer {
    Answer::new(model())
}

#[test]
fn requests_go_to_chat_completions_with_a_bearer_key() {
    assert_eq!(Chat.path("a/b"), "/chat/completions");
    assert_eq!(Chat.key_header("k"), ("authorization", "Bearer k".to_owned()));
    assert!(Chat.headers("m").is_empty());
    assert_eq!(Chat.models_path(), "/models");
}

/// The body without what is the same in each.
fn rest(asked: &Asked<'_>) -> Value {
    let mut body = Chat.body(asked);
    for name in ["model", "messages", "stream", "stream_options"] {
        body.as_object_mut().unwrap().remove(name);
    }
    body
}
