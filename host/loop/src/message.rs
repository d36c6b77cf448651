//! Messages and their content, in the form session files store them (version 3 of the reference's format).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::provider::{ErrorKind, ThinkingLevel};

/// One piece of what a user or a tool says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Content {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    #[serde(rename_all = "camelCase")]
    Image {
        /// Its bytes; base64 in JSON.
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        data: Vec<u8>,
        /// Its media type, such as `image/png`.
        mime_type: String,
    },
}

impl Content {
    /// A piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, or `None` for a picture.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image { .. } => None,
        }
    }
}

fn to_base64<S: Serializer>(data: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(data))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    STANDARD.decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

/// One piece of what a model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AssistantBlock {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning.
    Thinking {
        /// The reasoning, as far as the provider shows it.
        thinking: String,
        /// The provider's proof that it is unchanged. It goes back with it.
        #[serde(default, rename = "thinkingSignature", skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Whether the provider shows none of it: the signature is all there is.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        redacted: bool,
    },
    /// A call of a tool.
    ToolCall(RequestedCall),
}

/// A tool call as the model asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedCall {
    /// The id that pairs the call with its result.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model gave them.
    pub arguments: Value,
    /// Why the provider could not read the arguments. Such a call never runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
    /// The provider's proof of the reasoning that led to it. It goes back with it.
    #[serde(default, rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Why a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The model had nothing more to say.
    Stop,
    /// The output limit was reached; what came last may be cut off.
    Length,
    /// The model waits for tool results.
    ToolUse,
    /// The provider goes on with it later.
    Deferred,
    /// The user aborted it.
    Aborted,
    /// Something failed; see [`AssistantMessage::error_message`].
    Error,
}

/// Tokens and money that a response or a tool call cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read, without those read from or written to a cache.
    pub input: u32,
    /// Tokens written.
    pub output: u32,
    /// Tokens read from the provider's cache.
    pub cache_read: u32,
    /// Tokens written to the provider's cache.
    pub cache_write: u32,
    /// US dollars; 0 when it is not known.
    pub cost: f64,
}

/// What a user says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserMessage {
    /// What is said.
    pub content: Vec<Content>,
    /// Milliseconds since 1970.
    pub timestamp: u64,
}

/// What a model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// What is said, in the model's order.
    pub content: Vec<AssistantBlock>,
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// How much the model was asked to think; none when the request was never made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// What failed, for [`StopReason::Error`] and [`StopReason::Aborted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// What kind of failure that is, for [`StopReason::Error`]. It matters only while the run goes on, and is not stored.
    #[serde(skip)]
    pub error_kind: ErrorKind,
    /// Milliseconds since 1970.
    pub timestamp: u64,
}

impl AssistantMessage {
    /// The tool calls it asks for, in its own order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &RequestedCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::ToolCall(call) => Some(call),
            AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } => None,
        })
    }
}

/// What a tool call gave, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The id of the call it answers.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// What the tool says.
    pub content: Vec<Content>,
    /// What it adds for programs. Not sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What it gives for a model that reads JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Map<String, Value>>,
    /// What it cost, when it cost tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Milliseconds since 1970.
    pub timestamp: u64,
}

/// What somebody else put into the conversation. Not sent to a model unless a hook converts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// What kind of message it is.
    pub custom_type: String,
    /// What it says.
    pub content: Vec<Content>,
    /// Whether a user sees it.
    pub display: bool,
    /// What it adds for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Milliseconds since 1970.
    pub timestamp: u64,
}

/// A message of the transcript. Immutable once it is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    /// From the user.
    User(UserMessage),
    /// From the model.
    Assistant(AssistantMessage),
    /// From a tool.
    ToolResult(ToolResultMessage),
    /// From somebody else.
    Custom(CustomMessage),
}

impl Message {
    /// A user message of one text, stamped now.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(UserMessage { content: vec![Content::text(text)], timestamp: now() })
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
