//! What is sent and read, without a harness: the same over all four protocols.

mod bodies;
mod same;

use std::sync::Arc;

use futures_util::StreamExt;
use seam_loop::hooks::NoHooks;
use seam_loop::message::{ToolResultMessage, UserMessage};
use seam_loop::{
    AssistantBlock, AssistantMessage, CancellationToken, Content, Message, Model, Provider, ProviderError, Request,
    StopReason, StreamEvent, ThinkingLevel, ToolDefinition,
};
use seam_providers::Providers;
use seam_tests::models::conversations::SYSTEM_PROMPT;
use seam_tests::models::{Answered, Block, Protocol, Said, Server, Stop};
use serde_json::{Value, json};

use super::{model, services};

/// A server and who asks it.
pub(super) struct Wire {
    pub(super) server: Server,
    pub(super) providers: Providers,
}

impl Wire {
    pub(super) fn new() -> Self {
        let server = Server::start();
        let providers = Providers::new(&services(&server)).unwrap();
        Self { server, providers }
    }

    /// Asks, and reads the answer to its end.
    pub(super) async fn ask(
        &self,
        model: &Model,
        messages: &[Arc<Message>],
        tools: &[ToolDefinition],
    ) -> Result<Vec<StreamEvent>, ProviderError> {
        let request = Request {
            model,
            thinking_level: ThinkingLevel::Off,
            api_key: None,
            system_prompt: SYSTEM_PROMPT,
            messages,
            tools,
            max_tokens: None,
            hooks: &NoHooks,
        };
        Ok(self.providers.stream(request, &CancellationToken::new()).await?.collect().await)
    }

    /// Says something to the model of a protocol, and gives the message that it answers.
    pub(super) async fn say(&self, protocol: Protocol, text: &str) -> AssistantMessage {
        let messages = [user(vec![Content::text(text)])];
        match self.ask(&model(protocol), &messages, &[]).await {
            Ok(events) => whole(&events).clone(),
            Err(error) => panic!("{error}"),
        }
    }
}

pub(super) fn user(content: Vec<Content>) -> Arc<Message> {
    Arc::new(Message::User(UserMessage { content, timestamp: 0 }))
}

pub(super) fn result(of: &Answered) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: of.id.to_owned(),
        tool_name: of.tool.to_owned(),
        content: of.content.clone(),
        details: None,
        structured_content: None,
        usage: None,
        is_error: of.is_error,
        timestamp: 0,
    }))
}

/// The message at the end.
pub(super) fn whole(events: &[StreamEvent]) -> &AssistantMessage {
    match events.last() {
        Some(StreamEvent::End(message)) => message,
        other => panic!("{other:?}"),
    }
}

/// What an answer says in any protocol. Left out is what protocols do not have in common: proofs of reasoning and
/// blocks that are nothing else, where pieces begin and end and how those of two calls mix, and the price of the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    blocks: Vec<Value>,
    stop: StopReason,
    /// Read, written, read from the cache, written to it.
    usage: [u32; 4],
}

impl Told {
    /// Whether all is the same but for what it costs.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        (&self.blocks, self.stop) == (&other.blocks, other.stop)
    }

    pub(super) fn of(message: &AssistantMessage) -> Self {
        let usage = [message.usage.input, message.usage.output, message.usage.cache_read, message.usage.cache_write];
        Self { blocks: message.content.iter().filter_map(block).collect(), stop: message.stop_reason, usage }
    }

    /// What it should be.
    pub(super) fn expected(protocol: Protocol, said: &Said) -> Self {
        let usage = [said.usage.input, said.usage.output, said.usage.cache_read, said.usage.cache_write];
        let stop = match said.stop {
            Stop::Stop => StopReason::Stop,
            Stop::ToolUse => StopReason::ToolUse,
            Stop::Length => StopReason::Length,
            Stop::Refusal => StopReason::Error,
        };
        let blocks = said.blocks.iter().filter_map(|said| match said {
            Block::Text(text) => Some(json!({ "text": text })),
            Block::Thinking { text, .. } => Some(json!({ "thinking": text })),
            Block::Redacted(_) => None,
            Block::Call { id, name, arguments } => match arguments.json() {
                Some(arguments) => Some(json!({ "call": [id, name, arguments] })),
                // A call is one piece there: half of one does not come.
                None if protocol == Protocol::Gemini => None,
                None => Some(json!({ "broken": [id, name, arguments.text()] })),
            },
        });
        Self { blocks: blocks.collect(), stop, usage }
    }
}

fn block(block: &AssistantBlock) -> Option<Value> {
    match block {
        AssistantBlock::Text { text } => Some(json!({ "text": text })),
        AssistantBlock::Thinking { thinking, .. } if thinking.is_empty() => None,
        AssistantBlock::Thinking { thinking, .. } => Some(json!({ "thinking": thinking })),
        AssistantBlock::ToolCall(call) => {
            let kind = if call.arguments_error.is_some() { "broken" } else { "call" };
            Some(json!({ kind: [call.id, call.name, call.arguments] }))
        }
    }
}
