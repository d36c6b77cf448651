//! What messages offer beside their fields: their text, and short ways to make one and to edit a list of them.

use std::borrow::Cow;

use crate::{Block, Content, Edit, Message, Model, NewMessage, Placed, Range, UserMessage};

impl Message {
    /// A text as said by the user, without a time.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(UserMessage { content: vec![Content::Text(text.into())], timestamp: 0.0 })
    }

    /// Its texts, in order, without reasoning and calls.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (content, blocks): (&[Content], &[Block]) = match self {
            Self::User(message) => (&message.content, &[]),
            Self::Assistant(message) => (&[], &message.content),
            Self::Tool(message) => (&message.content, &[]),
            Self::Custom(message) => (&message.content, &[]),
        };
        content.iter().filter_map(Content::as_text).chain(blocks.iter().filter_map(Block::as_text))
    }

    /// Its text: one after another when there are several.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.texts();
        match (texts.next(), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(self.texts().collect()),
        }
    }
}

impl Block {
    /// The text for the user, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Thinking(_) | Self::Call(_) => None,
        }
    }
}

impl NewMessage {
    /// A text that the user sees. `kind` is the plugin's own word: at most 64 letters, digits, `-`, `_` and `.`.
    pub fn shown(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { display: true, ..Self::hidden(kind, text) }
    }

    /// A text that only the model sees. `kind` is the plugin's own word: at most 64 letters, digits, `-`, `_` and `.`.
    pub fn hidden(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), content: vec![Content::Text(text.into())], display: false, details: None }
    }
}

impl Edit {
    /// These messages are not shown.
    pub fn drop(places: impl Into<Range>) -> Self {
        Self::DropRange(places.into())
    }

    /// This message instead of the one at `index`.
    pub fn replace(index: u32, message: Message) -> Self {
        Self::Replace(Placed { index, message })
    }

    /// This message before the one at `index`; at the end when that is the list's length.
    pub fn insert(index: u32, message: Message) -> Self {
        Self::Insert(Placed { index, message })
    }
}

impl From<std::ops::Range<u32>> for Range {
    fn from(places: std::ops::Range<u32>) -> Self {
        Self { start: places.start, end: places.end }
    }
}

impl Model {
    /// A model by its provider's name and its id.
    pub fn new(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self { provider: provider.into(), id: id.into() }
    }
}
