//! What a run tells the world. Observation only: nothing that receives an event can change the run.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::decision::Decision;
use crate::message::Message;
use crate::tool::ToolOutput;

/// Takes events, in order. It must return fast; slow work belongs behind a queue.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: AgentEvent);
}

impl<F: Fn(AgentEvent) + Send + Sync> EventSink for F {
    fn emit(&self, event: AgentEvent) {
        self(event);
    }
}

/// One thing that happened in a run.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AgentEvent {
    /// The run begins.
    AgentStart,
    /// The run is over.
    AgentEnd {
        /// The messages it added. Of a run that failed, only the one that says so, as in the reference.
        messages: Vec<Arc<Message>>,
        /// How many messages it added in all.
        added: usize,
    },
    /// A turn begins: one response and its tool calls.
    TurnStart {
        /// Its number in the run, from 1.
        turn: u32,
    },
    /// A turn is over.
    TurnEnd {
        /// Its number in the run, from 1.
        turn: u32,
        /// The model's message.
        message: Arc<Message>,
        /// The results of its calls, in the model's order.
        tool_results: Vec<Arc<Message>>,
    },
    /// A message begins. A model's message arrives piece by piece; every other is complete.
    MessageStart {
        /// Whose it is.
        role: Role,
        /// The call a tool result answers.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<String>,
        /// How many blocks of a model's message are there already: all of them when it comes whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        blocks: Option<usize>,
    },
    /// A piece of the model's message arrived.
    MessageUpdate {
        /// What happened to which block.
        kind: UpdateKind,
        /// The block's place in the message, from 0.
        content_index: usize,
        /// What was added, for a delta.
        #[serde(skip_serializing_if = "Option::is_none")]
        delta: Option<String>,
        /// The id of a tool call that is now complete.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<String>,
    },
    /// A message is complete and will never change.
    MessageEnd {
        /// The message.
        message: Arc<Message>,
    },
    /// A tool call begins. Nothing was decided yet.
    ToolExecutionStart {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// The model's own arguments.
        args: Value,
    },
    /// A running tool says how far it is. It has passed the `tool-result` chain.
    ToolExecutionUpdate {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// What there is so far.
        partial_result: ToolOutput,
    },
    /// A tool call is over.
    ToolExecutionEnd {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// Its result. It has passed the `tool-result` chain.
        result: ToolOutput,
        /// Whether it failed.
        is_error: bool,
        /// Who was asked and what they said.
        decisions: Vec<Decision>,
    },
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The user's.
    User,
    /// The model's.
    Assistant,
    /// A tool's.
    ToolResult,
    /// Somebody else's.
    Custom,
}

/// What happened to a block of the model's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the reference's and say it all")]
pub enum UpdateKind {
    TextStart,
    TextDelta,
    TextEnd,
    ThinkingStart,
    ThinkingDelta,
    ThinkingEnd,
    ToolcallStart,
    ToolcallDelta,
    ToolcallEnd,
}
