//! The fake of the import `conversation`, and messages to put into it.

use std::cell::RefCell;

use crate::conversation::{Kind, OutlineEntry};
use crate::{AssistantMessage, Block, Content, Message, Model, ResultMessage, StopReason, Usage};

/// The most messages and the most outline entries that one call gives.
const MOST: (usize, usize) = (256, 4096);

thread_local! {
    static CONVERSATION: RefCell<Vec<Message>> = const { RefCell::new(Vec::new()) };
}

/// Sets what the import `conversation` gives; nothing before.
pub fn set_conversation(messages: impl IntoIterator<Item = Message>) {
    CONVERSATION.set(messages.into_iter().collect());
}

/// A text as said by the model `test/model`.
pub fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Block::Text(text.to_owned())],
        model: Model::new("test", "model"),
        usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: 0.0 },
        thinking_level: None,
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 0.0,
    })
}

/// What the call `call_id` of `tool` gave, as the model reads it.
pub fn answer(call_id: &str, tool: &str, text: &str) -> Message {
    Message::Tool(ResultMessage {
        call_id: call_id.to_owned(),
        tool: tool.to_owned(),
        content: vec![Content::Text(text.to_owned())],
        details: None,
        structured_content: None,
        usage: None,
        is_error: false,
        timestamp: 0.0,
    })
}

pub(crate) fn length() -> u32 {
    CONVERSATION.with_borrow(|messages| messages.len() as u32)
}

pub(crate) fn get(index: u32) -> Option<Message> {
    CONVERSATION.with_borrow(|messages| messages.get(index as usize).cloned())
}

pub(crate) fn slice(start: u32, end: u32) -> Vec<Message> {
    each(start, end, MOST.0, Message::clone)
}

pub(crate) fn outline(start: u32, end: u32) -> Vec<OutlineEntry> {
    each(start, end, MOST.1, entry)
}

fn each<T>(start: u32, end: u32, most: usize, view: fn(&Message) -> T) -> Vec<T> {
    let count = end.saturating_sub(start) as usize;
    CONVERSATION.with_borrow(|all| all.iter().skip(start as usize).take(count.min(most)).map(view).collect())
}

fn entry(message: &Message) -> OutlineEntry {
    let (kind, name) = match message {
        Message::User(_) => (Kind::User, ""),
        Message::Assistant(_) => (Kind::Assistant, ""),
        Message::Tool(message) => (Kind::Tool, &*message.tool),
        Message::Custom(message) => (Kind::Custom, &*message.kind),
    };
    OutlineEntry { kind, name: name.to_owned(), bytes: message.texts().map(str::len).sum::<usize>() as u32 }
}
