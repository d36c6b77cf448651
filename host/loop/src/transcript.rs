//! The messages of a conversation. Grows, and no message of it changes.

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
        let message = Arc::new(message);
        self.share(Arc::clone(&message));
        message
    }

    /// Appends a message that others hold too.
    pub fn share(&mut self, message: Arc<Message>) {
        self.custom |= matches!(*message, Message::Custom(_));
        self.messages.push(message);
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
        messages.into_iter().map(Arc::new).collect()
    }
}

impl FromIterator<Arc<Message>> for Transcript {
    fn from_iter<I: IntoIterator<Item = Arc<Message>>>(messages: I) -> Self {
        let mut transcript = Self::new();
        messages.into_iter().for_each(|message| transcript.share(message));
        transcript
    }
}
