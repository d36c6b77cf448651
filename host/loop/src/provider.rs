//! Where responses come from.

mod hooks;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::message::{AssistantBlock, AssistantMessage, Message};
use crate::tool::ToolDefinition;

pub use hooks::{CheckOptions, Header, ProviderHooks, RequestHead};

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// The provider's name, such as `anthropic`.
    pub provider: String,
    /// The model's id.
    pub id: String,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)
    }
}

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "a scale")]
pub enum ThinkingLevel {
    #[default]
    Off,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

/// A request for one response.
pub struct Request<'a> {
    /// The model.
    pub model: &'a Model,
    /// How much it should think.
    pub thinking_level: ThinkingLevel,
    /// The key a hook gave for the provider. Never logged.
    pub api_key: Option<&'a str>,
    /// The system prompt.
    pub system_prompt: &'a str,
    /// The conversation, oldest first.
    pub messages: &'a [Arc<Message>],
    /// The tools the model may call.
    pub tools: &'a [ToolDefinition],
    /// How many tokens the response may have at most; none for what the provider usually allows.
    pub max_tokens: Option<u32>,
    /// Who is asked about what goes to the provider.
    pub hooks: &'a dyn ProviderHooks,
}

/// A response as it arrives. It ends with [`StreamEvent::End`].
pub type ResponseStream = BoxStream<'static, StreamEvent>;

/// What kind of block starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// Text.
    Text,
    /// Reasoning.
    Thinking,
    /// A tool call; its deltas are JSON text.
    ToolCall {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
}

/// A piece of a response.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The response begins.
    Start,
    /// A block begins.
    BlockStart {
        /// Its place in the message, from 0.
        index: usize,
        /// What it is.
        kind: BlockKind,
    },
    /// A block goes on.
    BlockDelta {
        /// Its place in the message, from 0.
        index: usize,
        /// What is added.
        delta: String,
    },
    /// A block is complete.
    BlockEnd {
        /// Its place in the message, from 0.
        index: usize,
        /// The whole block.
        block: AssistantBlock,
    },
    /// The response is complete; this is what counts. A failure or an abort on the way is a message too, whose
    /// stop reason says so.
    End(Box<AssistantMessage>),
}

/// A source of responses.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The names of the providers whose models it asks, such as `anthropic`.
    fn names(&self) -> Vec<&str>;

    /// How many tokens a model can read and write at once, if that is known.
    fn window(&self, model: &Model) -> Option<u32> {
        let _not_known = model;
        None
    }

    /// Sends a request and gives its response as it arrives. When `abort` fires, the stream ends soon with what has
    /// arrived, as a message whose stop reason is `aborted`.
    ///
    /// # Errors
    /// When no request could be made at all.
    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError>;
}

/// Why a request could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct ProviderError {
    /// What happened.
    pub text: String,
    /// What kind of failure it is.
    pub kind: ErrorKind,
}

impl ProviderError {
    /// A failure of no particular kind.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: ErrorKind::Other }
    }
}

/// What kind of failure a response that failed is, as far as its provider can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorKind {
    /// The conversation is too long for the model.
    Overflow,
    /// The same request may be answered a little later.
    Transient {
        /// How much later, if the provider said so.
        retry_after: Option<Duration>,
    },
    /// Anything else: it would fail again.
    #[default]
    Other,
}
