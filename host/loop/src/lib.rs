//! The agent loop: prompt, request, response, tool batch, next turn.
//!
//! One [run](prompt) is what happens between a prompt and the moment the model has nothing more to do. The loop asks
//! a [`Provider`] for a response, hands each tool call of it to a [`Dispatch`], appends what comes back to the
//! [`Transcript`] and starts the next turn. Everything it does is told as an [`AgentEvent`].
//!
//! # Example
//!
//! A model that is played, one tool, and a hook that refuses it once.
//!
//! ```
//! use std::sync::Arc;
//!
//! use async_trait::async_trait;
//! use futures_util::{StreamExt, stream};
//! use seam_loop::hooks::{Before, HookError, Hooks, View};
//! use seam_loop::message::{AssistantBlock, AssistantMessage, RequestedCall, Usage};
//! use seam_loop::provider::ResponseStream;
//! use seam_loop::*;
//! use serde_json::json;
//!
//! /// Calls `greet` until it succeeds.
//! struct Stubborn;
//!
//! #[async_trait]
//! impl Provider for Stubborn {
//!     fn names(&self) -> Vec<&str> {
//!         vec!["played"]
//!     }
//!
//!     async fn stream(&self, request: Request<'_>, _: &CancellationToken) -> Result<ResponseStream, ProviderError> {
//!         let greeted = request.messages.iter().any(|m| matches!(&**m, Message::ToolResult(r) if !r.is_error));
//!         let call = RequestedCall {
//!             id: format!("call-{}", request.messages.len()),
//!             name: "greet".to_owned(),
//!             arguments: json!({}),
//!             arguments_error: None,
//!             signature: None,
//!         };
//!         let message = AssistantMessage {
//!             content: if greeted { vec![] } else { vec![AssistantBlock::ToolCall(call)] },
//!             provider: "played".to_owned(),
//!             model: request.model.id.clone(),
//!             usage: Usage::default(),
//!             thinking_level: None,
//!             stop_reason: if greeted { StopReason::Stop } else { StopReason::ToolUse },
//!             error_message: None,
//!             error_kind: ErrorKind::Other,
//!             timestamp: message::now(),
//!         };
//!         Ok(stream::iter([StreamEvent::End(Box::new(message))]).boxed())
//!     }
//! }
//!
//! /// Every call is `greet`, and it may run.
//! struct Greeter(ArgumentSchema);
//!
//! #[async_trait]
//! impl Dispatch for Greeter {
//!     fn definitions(&self) -> Arc<[ToolDefinition]> {
//!         Arc::default()
//!     }
//!
//!     fn mode(&self, _: &str) -> ExecutionMode {
//!         ExecutionMode::Parallel
//!     }
//!
//!     async fn preflight(&self, request: CallRequest, _: &CancellationToken) -> Preflight {
//!         let arguments = match self.0.validate(request.call.arguments) {
//!             Ok(arguments) => arguments,
//!             Err(faults) => {
//!                 let output = ToolOutput::error(faults.to_string());
//!                 return Preflight::Settled(Settled { output, decisions: vec![] });
//!             }
//!         };
//!         Preflight::Ready(Box::new(Greeting(ToolCall {
//!             id: request.call.id,
//!             tool: "greet".into(),
//!             arguments,
//!             model_arguments: None,
//!             origin: request.origin,
//!             targets: vec![],
//!             turn: request.turn,
//!             batch: request.batch,
//!         })))
//!     }
//! }
//!
//! struct Greeting(ToolCall);
//!
//! #[async_trait]
//! impl ReadyCall for Greeting {
//!     fn call(&self) -> &ToolCall {
//!         &self.0
//!     }
//!
//!     async fn run(self: Box<Self>, _: RunScope<'_>) -> Settled {
//!         Settled { output: ToolOutput::text("hello"), decisions: vec![] }
//!     }
//! }
//!
//! struct NotAtOnce;
//!
//! impl seam_loop::ProviderHooks for NotAtOnce {}
//!
//! #[async_trait]
//! impl Hooks for NotAtOnce {
//!     async fn before_tool_call(
//!         &self,
//!         call: &ToolCall,
//!         _: View<'_>,
//!         _: &CancellationToken,
//!     ) -> Result<Before, HookError> {
//!         match call.turn {
//!             1 => Ok(Before::Block { reason: "ask again".to_owned(), terminate: false }),
//!             _ => Ok(Before::Proceed),
//!         }
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let config = RunConfig {
//!     provider: &Stubborn,
//!     dispatch: &Greeter(ArgumentSchema::compile(&json!({ "type": "object" })).unwrap()),
//!     hooks: &NotAtOnce,
//!     events: &|event: AgentEvent| println!("{event:?}"),
//!     steering: &Queue::default(),
//!     follow_up: &Queue::default(),
//!     model: &Model { provider: "played".to_owned(), id: "stubborn".to_owned() },
//!     thinking_level: ThinkingLevel::Off,
//!     system_prompt: "",
//!     sequential: false,
//!     abort: &CancellationToken::new(),
//! };
//! let mut transcript = Transcript::new();
//! let outcome = prompt(&config, &mut transcript, vec![Message::user("Greet me.")]).await;
//! assert_eq!(outcome.stop_reason, StopReason::Stop);
//! // The prompt, a refused call and its result, a call that ran and its result, the last answer.
//! assert_eq!(transcript.messages().len(), 6);
//! # });
//! ```
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm, no file system and no network crate. It does not know what a plugin is.
//! - It cannot reach a tool's body: whether a call runs is decided behind [`Dispatch`].
//! - A [`Message`] is immutable from the moment it enters the transcript. The transcript only grows, unless
//!   a hook between two turns says what it is from there on.
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
pub use batch::{call_outside, call_quietly, result_message};
pub use call::{BatchPosition, Origin, ToolCall};
pub use decision::{Decider, Decision, Ruling};
pub use dispatch::{CallRequest, Dispatch, Preflight, ReadyCall, RunScope, Settled};
pub use event::{AgentEvent, EventSink};
pub use hooks::{HookError, Hooks, NoHooks};
pub use message::{
    AssistantBlock, AssistantMessage, Content, Message, StopReason, ToolResultMessage, Usage, UserMessage,
};
pub use provider::{
    ErrorKind, Header, Model, Provider, ProviderError, ProviderHooks, Request, RequestHead, StreamEvent, ThinkingLevel,
};
pub use queue::{Queue, QueueMode};
pub use run::{RunConfig, RunOutcome, StartError, continue_run, prompt};
pub use tool::{
    CallTool, Change, ExecutionMode, NoCalls, Replay, ResolvedTool, Target, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
};
pub use transcript::Transcript;

pub use tokio_util::sync::CancellationToken;
