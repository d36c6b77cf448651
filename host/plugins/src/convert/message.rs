//! Messages of the conversation, both ways.

use std::ops::Range;

use seam_harness::Failure;
use seam_harness::edits::Edit;
use seam_harness::seams::NewMessage;
use seam_loop::message::{CustomMessage, RequestedCall, ToolResultMessage, UserMessage};
use seam_loop::{AssistantBlock, AssistantMessage, Content, Message, Model};

use super::content::{from_content, from_usage, usage};
use super::model::{from_level, from_model, from_stop, level, stop};
use super::{count, is_name, json, object};
use crate::bindings::seam::harness::types as wit;

/// A message as a guest reads it.
pub(crate) fn message(message: &Message) -> wit::Message {
    match message {
        Message::User(user) => {
            wit::Message::User(wit::UserMessage { content: contents(&user.content), timestamp: time(user.timestamp) })
        }
        Message::Assistant(said) => wit::Message::Assistant(assistant(said)),
        Message::ToolResult(result) => wit::Message::Tool(wit::ResultMessage {
            call_id: result.tool_call_id.clone(),
            tool: result.tool_name.clone(),
            content: contents(&result.content),
            details: result.details.as_ref().map(ToString::to_string),
            structured_content: result.structured_content.as_ref().map(text),
            usage: result.usage.map(usage),
            is_error: result.is_error,
            timestamp: time(result.timestamp),
        }),
        Message::Custom(custom) => wit::Message::Custom(wit::CustomMessageResult {
            kind: custom.custom_type.clone(),
            content: contents(&custom.content),
            display: custom.display,
            details: custom.details.as_ref().map(ToString::to_string),
            timestamp: time(custom.timestamp),
        }),
    }
}

fn text(object: &serde_json::Map<String, serde_json::Value>) -> String {
    serde_json::to_string(object).unwrap_or_default()
}

pub(crate) fn contents(content: &[Content]) -> Vec<wit::ContentResult> {
    let pieces = content.iter().map(|piece| match piece {
        Content::Text { text } => wit::ContentResult::Text(text.clone()),
        Content::Image { data, mime_type } => {
            wit::ContentResult::Image(wit::ImageResult { mime_type: mime_type.clone(), data: data.clone() })
        }
    });
    pieces.collect()
}

fn assistant(said: &AssistantMessage) -> wit::AssistantMessage {
    let blocks = said.content.iter().map(|block| match block {
        AssistantBlock::Text { text } => wit::Block::Text(text.clone()),
        AssistantBlock::Thinking { thinking, signature, redacted } => wit::Block::Thinking(wit::Thinking {
            text: thinking.clone(),
            signature: signature.clone(),
            redacted: *redacted,
        }),
        AssistantBlock::ToolCall(call) => wit::Block::Call(wit::RequestedCall {
            id: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.to_string(),
            arguments_error: call.arguments_error.clone(),
            signature: call.signature.clone(),
        }),
    });
    wit::AssistantMessage {
        content: blocks.collect(),
        model: wit::ModelResult { provider: said.provider.clone(), id: said.model.clone() },
        usage: usage(said.usage),
        thinking_level: said.thinking_level.map(level),
        stop_reason: stop(said.stop_reason),
        error_message: said.error_message.clone(),
        timestamp: time(said.timestamp),
    }
}

#[allow(clippy::cast_precision_loss, reason = "exact for the next 285,000 years")]
fn time(timestamp: u64) -> f64 {
    timestamp as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn from_time(timestamp: f64) -> Result<u64, Failure> {
    match timestamp.is_finite() && (0.0..9.0e15).contains(&timestamp) {
        true => Ok(timestamp as u64),
        false => Err(Failure::InvalidAnswer("a timestamp is not a time".to_owned())),
    }
}

/// A message of a guest.
fn from_message(message: wit::Message) -> Result<Message, Failure> {
    Ok(match message {
        wit::Message::User(user) => {
            Message::User(UserMessage { content: from_content(user.content)?, timestamp: from_time(user.timestamp)? })
        }
        wit::Message::Assistant(said) => {
            let Model { provider, id } = from_model(said.model)?;
            Message::Assistant(AssistantMessage {
                content: said.content.into_iter().map(from_block).collect::<Result<_, _>>()?,
                provider,
                model: id,
                usage: from_usage(said.usage)?,
                thinking_level: said.thinking_level.map(from_level),
                stop_reason: from_stop(said.stop_reason),
                error_message: said.error_message,
                error_kind: seam_loop::ErrorKind::Other,
                timestamp: from_time(said.timestamp)?,
            })
        }
        wit::Message::Tool(result) => Message::ToolResult(ToolResultMessage {
            tool_call_id: result.call_id,
            tool_name: result.tool,
            content: from_content(result.content)?,
            details: result.details.map(|details| json("the details", &details)).transpose()?,
            structured_content: result
                .structured_content
                .map(|structured| object("the structured content", &structured))
                .transpose()?,
            usage: result.usage.map(from_usage).transpose()?,
            is_error: result.is_error,
            timestamp: from_time(result.timestamp)?,
        }),
        wit::Message::Custom(custom) => Message::Custom(CustomMessage {
            custom_type: custom.kind,
            content: from_content(custom.content)?,
            display: custom.display,
            details: custom.details.map(|details| json("the details", &details)).transpose()?,
            timestamp: from_time(custom.timestamp)?,
        }),
    })
}

fn from_block(block: wit::Block) -> Result<AssistantBlock, Failure> {
    Ok(match block {
        wit::Block::Text(text) => AssistantBlock::Text { text },
        wit::Block::Thinking(thinking) => AssistantBlock::Thinking {
            thinking: thinking.text,
            signature: thinking.signature,
            redacted: thinking.redacted,
        },
        wit::Block::Call(call) => AssistantBlock::ToolCall(RequestedCall {
            arguments: json("the arguments of a call", &call.arguments)?,
            id: call.id,
            name: call.tool,
            arguments_error: call.arguments_error,
            signature: call.signature,
        }),
    })
}

/// A message that a plugin adds.
pub(crate) fn from_new(message: wit::NewMessage) -> Result<NewMessage, Failure> {
    if !is_name(&message.kind, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Err(Failure::InvalidAnswer("the kind of a message is not a name".to_owned()));
    }
    Ok(NewMessage {
        kind: message.kind,
        content: from_content(message.content)?,
        display: message.display,
        details: message.details.map(|details| json("the details", &details)).transpose()?,
    })
}

pub(crate) fn from_edits(edits: Vec<wit::Edit>) -> Result<Vec<Edit>, Failure> {
    let edits = edits.into_iter().map(|edit| {
        Ok(match edit {
            wit::Edit::DropRange(range) => Edit::Drop(range.start as usize..range.end as usize),
            wit::Edit::Replace(placed) => Edit::Replace(placed.index as usize, from_message(placed.message)?.into()),
            wit::Edit::Insert(placed) => Edit::Insert(placed.index as usize, from_message(placed.message)?.into()),
        })
    });
    edits.collect()
}

/// Places in the conversation.
pub(crate) fn range(places: &Range<usize>) -> wit::Range {
    wit::Range { start: count(places.start), end: count(places.end) }
}

/// A plugin's own message, with its parts that do not exist in the form the contract wants.
pub(crate) struct CustomParts<'a> {
    message: &'a CustomMessage,
    content: Vec<wit::ContentParam<'a>>,
    details: Option<String>,
}

impl<'a> CustomParts<'a> {
    pub(crate) fn of(message: &'a CustomMessage) -> Self {
        let pieces = message.content.iter().map(|piece| match piece {
            Content::Text { text } => wit::ContentParam::Text(text),
            Content::Image { data, mime_type } => wit::ContentParam::Image(wit::ImageParam { mime_type, data }),
        });
        Self { content: pieces.collect(), details: message.details.as_ref().map(ToString::to_string), message }
    }

    pub(crate) fn lent(&self) -> wit::CustomMessageParam<'_> {
        wit::CustomMessageParam {
            kind: &self.message.custom_type,
            content: &self.content,
            display: self.message.display,
            details: self.details.as_deref(),
            timestamp: time(self.message.timestamp),
        }
    }
}
