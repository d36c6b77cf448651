//! The messages of a conversation. Grows, never changes.

use std::sync::Arc;

use crate::message::Message;

/// An append-only list of messages. Cloning it shares the messages.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    messages: Vec<Arc<Message>>,
    custom: bool,
}

impl Transcript {
    /// An empty transcript.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a message and gives a handle to it.
    pub fn push(&mut self, message: Message) -> Arc<Message> {
        self.custom |= matches!(message, Message::Custom(_));
        let message = Arc::new(message);
        self.messages.push(Arc::clone(&message));
        message
    }

    /// All messages, oldest first.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Whether any of them is a custom message.
    pub fn holds_custom(&self) -> bool {
        self.custom
    }
}

impl FromIterator<Message> for Transcript {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        let mut transcript = Self::new();
        messages.into_iter().for_each(|message| drop(transcript.push(message)));
        transcript
    }
}
