//! The agent loop: prompt, request, response, tool batch, next turn.
//!
//! One [run](prompt) is what happens between a prompt and the moment the model has nothing more to do. The loop asks
//! a [`Provider`] for a response, hands each tool call of it to a [`Dispatch`], appends what comes back to the
//! [`Transcript`] and starts the next turn. Everything it does is told as an [`AgentEvent`].
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm, no file system and no network crate. It does not know what a plugin is.
//! - It cannot reach a tool's body: whether a call runs is decided behind [`Dispatch`].
//! - A [`Message`] is immutable from the moment it enters the transcript. The transcript only grows.
//! - Every event that opens something has one that closes it, and each tool call gets exactly one result.
//! - Validation of arguments causes no I/O.

pub mod arguments;
pub mod call;
pub mod decision;
pub mod dispatch;
pub mod event;
pub mod hooks;
pub mod message;
pub mod provider;
pub mod queue;
pub mod run;
pub mod tool;
pub mod transcript;

mod batch;
mod calls;
mod context;
mod stream;

pub use arguments::{ArgumentSchema, InvalidArguments, ValidArguments};
pub use call::{BatchPosition, Origin, ToolCall};
pub use decision::{Decider, Decision, Ruling};
pub use dispatch::{CallRequest, Dispatch, Preflight, ReadyCall, RunScope, Settled};
pub use event::{AgentEvent, EventSink};
pub use hooks::{HookError, Hooks, NoHooks};
pub use message::{
    AssistantBlock, AssistantMessage, Content, Message, StopReason, ToolResultMessage, Usage, UserMessage,
};
pub use provider::{Model, Provider, ProviderError, Request, StreamEvent, ThinkingLevel};
pub use queue::{Queue, QueueMode};
pub use run::{RunConfig, RunOutcome, StartError, continue_run, prompt};
pub use tool::{
    CallTool, Change, ExecutionMode, NoCalls, Replay, ResolvedTool, Target, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
};
pub use transcript::Transcript;

pub use tokio_util::sync::CancellationToken;
