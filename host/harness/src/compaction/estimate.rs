//! How many tokens something has: what a provider counted, and a guess for the rest.

use std::sync::Arc;

use seam_loop::message::RequestedCall;
use seam_loop::{AssistantBlock, Content, Message, Usage};

use super::is_failed;

/// So many characters are taken for one token.
const CHARACTERS: u64 = 4;
/// A provider's count of more than so many times the guess is not believed: some count wrong, and a conversation would be
/// made shorter for it.
const FOLD: u64 = 4;
/// So many tokens may be beside what is said: the system prompt, and the tools.
const BESIDE: u64 = 64 << 10;
/// A picture counts as so many characters.
const PICTURE: u64 = 4_800;

/// The guess for one message: one token for four characters (of UTF-16), rounded up.
pub(crate) fn message(message: &Message) -> u64 {
    let characters = match message {
        Message::User(said) => content(&said.content),
        Message::Assistant(said) => said.content.iter().map(block).sum(),
        Message::ToolResult(result) => content(&result.content),
        Message::Custom(custom) => content(&custom.content),
    };
    characters.div_ceil(CHARACTERS)
}

/// The guess for a text.
pub(crate) fn text(text: &str) -> u64 {
    length(text).div_ceil(CHARACTERS)
}

fn content(content: &[Content]) -> u64 {
    content.iter().map(|piece| piece.as_text().map_or(PICTURE, length)).sum()
}

fn block(block: &AssistantBlock) -> u64 {
    match block {
        AssistantBlock::Text { text } => length(text),
        AssistantBlock::Thinking { thinking, .. } => length(thinking),
        AssistantBlock::ToolCall(RequestedCall { name, arguments, .. }) => {
            length(name) + length(&arguments.to_string())
        }
    }
}

fn length(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// The tokens of a conversation, counted message by message: each is looked at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    seen: usize,
    /// The guesses for all.
    sum: u64,
    /// The last count of a provider, and the guesses for all up to there.
    measured: Option<(u64, u64)>,
}

impl Meter {
    /// Takes in messages whose counts were made when the conversation was another one: before it was made shorter.
    pub(crate) fn take_old(&mut self, messages: &[Arc<Message>]) {
        self.seen += messages.len();
        self.sum += messages.iter().map(|said| message(said)).sum::<u64>();
    }

    /// Takes in what was said then.
    pub(crate) fn take(&mut self, messages: &[Arc<Message>]) {
        for said in messages {
            self.seen += 1;
            self.sum += message(said);
            if let Some(counted) = counted(said).filter(|counted| *counted <= self.sum * FOLD + BESIDE) {
                self.measured = Some((counted, self.sum));
            }
        }
    }

    /// How many messages were taken in.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// What the provider counted last, and guesses for what came after; or guesses for all.
    pub(crate) fn tokens(&self) -> u64 {
        self.measured.map_or(self.sum, |(counted, at)| counted + (self.sum - at))
    }
}

/// What the provider counted, for a message that came to its end.
fn counted(message: &Message) -> Option<u64> {
    let Message::Assistant(said) = message else { return None };
    let Usage { input, output, cache_read, cache_write, .. } = said.usage;
    let counted = [input, output, cache_read, cache_write].into_iter().map(u64::from).sum();
    (counted > 0 && !is_failed(message)).then_some(counted)
}
