//! A model server for tests: real sockets that speak the four wire protocols of real providers, with every fault a
//! network or a provider can have.
//!
//! A [`Said`] is what a model says, whatever the protocol. [`events`] and [`stream`] write it as a service sends it,
//! [`Frames`] spoils its events, a [`Plan`] spoils its bytes and the exchange, and a [`Server`] plays plans and keeps
//! what it was asked. The shapes are those of the public API descriptions, service fields included.

pub mod anthropic;
pub mod chat;
pub mod conversations;
mod doors;
pub mod errors;
pub mod frames;
pub mod gemini;
pub mod overflows;
pub mod plan;
pub mod responses;
pub mod server;
pub mod sse;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use conversations::{Answered, Conversation, Turn, conversations};
pub use errors::Trouble;
pub use frames::{Frames, Place};
pub use plan::{End, Plan, Wait};
pub use server::{Recorded, Server};
pub use sse::{Event, Framing, Mark};

/// A wire protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Google Gemini.
    Gemini,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic-messages",
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }

    /// The model that its streams say they come from.
    pub fn model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-sonnet-4-5",
            Self::Chat => "gpt-4.1",
            Self::Responses => "gpt-5",
            Self::Gemini => "gemini-2.5-flash",
        }
    }

    /// The protocol that is spoken at this path, which may have a query.
    pub fn at(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let gemini = |rest: &str| rest.ends_with(":streamGenerateContent") && !rest.contains('/');
        match path {
            "/v1/messages" => Some(Self::Anthropic),
            "/v1/chat/completions" => Some(Self::Chat),
            "/v1/responses" => Some(Self::Responses),
            _ => path.strip_prefix("/v1beta/models/").is_some_and(gemini).then_some(Self::Gemini),
        }
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// There is nothing more to say.
    Stop,
    /// It waits for results of tools.
    ToolUse,
    /// The output limit was reached.
    Length,
    /// The provider did not want to go on.
    Refusal,
}

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Read, without those read from or written to a cache.
    pub input: u32,
    /// Written, thinking included.
    pub output: u32,
    /// How many of those written were thinking.
    pub thinking: u32,
    /// Read from a cache.
    pub cache_read: u32,
    /// Written to a cache. Only Anthropic says so; elsewhere they count as read.
    pub cache_write: u32,
}

impl Usage {
    /// All that was read.
    pub fn read(self) -> u32 {
        self.input + self.cache_read + self.cache_write
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// As JSON.
    Json(Value),
    /// As text that may be anything. Gemini sends arguments as JSON only: there a call whose text is none is left out.
    Raw(String),
}

impl Arguments {
    /// The text a model writes.
    pub fn text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Raw(text) => text.clone(),
        }
    }

    /// The JSON, if it is any.
    pub fn json(&self) -> Option<Value> {
        match self {
            Self::Json(value) => Some(value.clone()),
            Self::Raw(text) => serde_json::from_str(text).ok(),
        }
    }
}

/// A block of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Thinking, and the provider's proof of it. Chat has no proof. Gemini has it at what comes next: at the call, or
    /// in an empty text at the end.
    Thinking {
        /// What is thought.
        text: String,
        /// The proof.
        signature: Option<String>,
    },
    /// Thinking that is not shown: the proof is all there is. Chat has no such thing.
    Redacted(String),
    /// Text.
    Text(String),
    /// A call of a tool.
    Call {
        /// Its id; without one the field is left out.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The arguments.
        arguments: Arguments,
    },
}

impl Block {
    /// Text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Thinking.
    pub fn thinking(text: &str, signature: Option<&str>) -> Self {
        Self::Thinking { text: text.to_owned(), signature: signature.map(str::to_owned) }
    }

    /// A call.
    pub fn call(id: &str, name: &str, arguments: Value) -> Self {
        Self::Call { id: Some(id.to_owned()), name: name.to_owned(), arguments: Arguments::Json(arguments) }
    }

    /// A call whose arguments are any text.
    pub fn raw_call(id: &str, name: &str, arguments: &str) -> Self {
        Self::Call { id: Some(id.to_owned()), name: name.to_owned(), arguments: Arguments::Raw(arguments.to_owned()) }
    }

    /// Whether it is a call.
    pub fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }
}

/// One answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
    /// In how many pieces each text and each call's arguments come, if they are that long.
    pub pieces: usize,
    /// Whether calls that follow each other all begin first, and then their pieces come by turns: A1 B1 A2 B2. Not in
    /// Gemini, where a call is one piece.
    pub mixed: bool,
}

impl Said {
    /// These blocks, each in three pieces. It stops for tools if there is a call.
    pub fn new(blocks: Vec<Block>) -> Self {
        let stop = if blocks.iter().any(Block::is_call) { Stop::ToolUse } else { Stop::Stop };
        let thinks = blocks.iter().any(|block| matches!(block, Block::Thinking { .. } | Block::Redacted(_)));
        let thinking = if thinks { 11 } else { 0 };
        let usage = Usage { input: 21, output: 34, thinking, cache_read: 13, cache_write: 0 };
        Self { blocks, usage, stop, pieces: 3, mixed: false }
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self::new(vec![Block::text(text)])
    }

    /// The same in so many pieces.
    pub fn in_pieces(self, pieces: usize) -> Self {
        Self { pieces, ..self }
    }

    /// The same with the pieces of its calls by turns.
    pub fn mixed(self) -> Self {
        Self { mixed: true, ..self }
    }

    /// The same, ended for this reason.
    pub fn stopping(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// The same at this cost.
    pub fn costing(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }

    /// Its blocks, those together whose pieces come by turns.
    fn groups(&self) -> impl Iterator<Item = &[Block]> {
        self.blocks.chunk_by(|one, next| self.mixed && one.is_call() && next.is_call())
    }
}

/// The events of an answer.
pub fn events(protocol: Protocol, said: &Said) -> Vec<Event> {
    match protocol {
        Protocol::Anthropic => anthropic::events(said),
        Protocol::Chat => chat::events(said),
        Protocol::Responses => responses::events(said),
        Protocol::Gemini => gemini::events(said),
    }
}

/// The whole body of an answer.
pub fn stream(protocol: Protocol, said: &Said) -> Vec<u8> {
    sse::bytes(&events(protocol, said), Framing::of(protocol))
}

/// A text in so many pieces of about the same length, or in as many as it has characters. None is empty.
pub fn cut(text: &str, pieces: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces = pieces.clamp(1, characters.len().max(1));
    let piece = |index: usize| {
        let (from, to) = (index * characters.len() / pieces, (index + 1) * characters.len() / pieces);
        characters[from..to].iter().collect::<String>()
    };
    (0..pieces).map(piece).filter(|piece| !piece.is_empty()).collect()
}

/// The pieces of some calls by turns, each with the place of its call in the group.
fn turns(calls: &[Vec<String>]) -> Vec<(usize, &str)> {
    let longest = calls.iter().map(Vec::len).max().unwrap_or(0);
    let round = |round: usize| {
        calls.iter().enumerate().filter_map(move |(call, pieces)| Some((call, pieces.get(round)?.as_str())))
    };
    (0..longest).flat_map(round).collect()
}
