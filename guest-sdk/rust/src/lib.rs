//! Write a Seam plugin in Rust: implement the trait of each seam it decides at, and list the seams in [`plugin!`].
//!
//! A whole plugin, a gate that refuses commands by its settings:
//!
//! ```
//! use seam::{ToolCall, ToolCallGate, Verdict};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Guard {
//!     deny: Vec<String>,
//! }
//!
//! impl ToolCallGate for Guard {
//!     fn decide(&mut self, call: &ToolCall) -> Verdict {
//!         match call.command() {
//!             Some(run) if self.deny.iter().any(|no| run.contains(no)) => Verdict::block("denied"),
//!             _ => Verdict::Proceed,
//!         }
//!     }
//! }
//!
//! seam::plugin!(Guard from config: tool_call);
//! # fn main() {}
//! ```
//!
//! # Seams
//!
//! A module per seam, named like it, holds its trait and its types. Those about tool calls are here at the root too.
//!
//! | seam | trait | may |
//! |---|---|---|
//! | `input` | [`Input`] | change what the user says, or answer it |
//! | `before_agent_start` | [`BeforeAgentStart`] | add to a prompt, change the system prompt |
//! | `prepare_request` | [`PrepareRequest`] | choose model, thinking level and messages of a request |
//! | `transform_context` | [`TransformContext`] | change which messages the model is shown |
//! | `convert_to_llm` | [`ConvertToLlm`] | say what the model sees of the plugin's own messages |
//! | `get_api_key` | [`GetApiKey`] | supply the key of a provider |
//! | `before_provider_request` | [`BeforeProviderRequest`] | change headers and options of a request |
//! | `before_provider_payload` | [`BeforeProviderPayload`] | change the body of a request |
//! | `rewrite_tool_call` | [`RewriteToolCall`] | change the arguments of a call |
//! | `tool_call` | [`ToolCallGate`] | refuse a call |
//! | `tool_result` | [`ToolResultPatch`] | change or withhold a result |
//! | `finish_turn` | [`FinishTurn`] | end a run or keep it going |
//! | `prepare_next_turn` | [`PrepareNextTurn`] | prepare the next turn |
//! | `session_before_switch` | [`SessionBeforeSwitch`] | cancel that a session is left |
//! | `session_before_fork` | [`SessionBeforeFork`] | cancel a fork |
//! | `session_before_compact` | [`SessionBeforeCompact`] | cancel a compaction, or supply its summary |
//! | `session_before_tree` | [`SessionBeforeTree`] | cancel or change a move in the session's tree |
//! | `resources_discover` | [`ResourcesDiscover`] | offer skills and prompt templates |
//! | `tools` | [`Tools`] | offer tools to the model |
//! | `commands` | [`Commands`] | offer commands to the user |
//! | `agent_start`, `turn_end`, ... | those in [`observe`] | see what happened |
//!
//! [`Input`]: input::Input
//! [`BeforeAgentStart`]: before_agent_start::BeforeAgentStart
//! [`PrepareRequest`]: prepare_request::PrepareRequest
//! [`TransformContext`]: transform_context::TransformContext
//! [`ConvertToLlm`]: convert_to_llm::ConvertToLlm
//! [`GetApiKey`]: get_api_key::GetApiKey
//! [`BeforeProviderRequest`]: before_provider_request::BeforeProviderRequest
//! [`BeforeProviderPayload`]: before_provider_payload::BeforeProviderPayload
//! [`FinishTurn`]: finish_turn::FinishTurn
//! [`PrepareNextTurn`]: prepare_next_turn::PrepareNextTurn
//! [`SessionBeforeSwitch`]: session_before_switch::SessionBeforeSwitch
//! [`SessionBeforeFork`]: session_before_fork::SessionBeforeFork
//! [`SessionBeforeCompact`]: session_before_compact::SessionBeforeCompact
//! [`SessionBeforeTree`]: session_before_tree::SessionBeforeTree
//! [`ResourcesDiscover`]: resources_discover::ResourcesDiscover
//! [`Tools`]: tools::Tools
//! [`Commands`]: commands::Commands
//!
//! # Invariants
//!
//! - A plugin exports exactly the seams it lists and imports exactly what it calls. Nothing here exports or imports on
//!   its own, but the note of a panic to [`log`] (feature `panic-message`).
//! - An error is never a decision. What cannot be read panics, a panic traps, and the host takes a trap as a failure.
//! - No WASI import, unless the plugin itself uses what needs one (feature `wasi` for files).
//! - The bindings are generated from the contract and committed; no plugin needs its WIT, a build script or a macro crate.
//! - `unsafe` is in the generated bindings and in `sealed.rs` only; a plugin may `#![forbid(unsafe_code)]`.

#[rustfmt::skip]
#[doc(hidden)]
pub mod bindings;
#[cfg(all(target_family = "wasm", feature = "small-allocator"))]
mod allocator;
mod call;
mod json;
mod message;
mod plugin;
mod reach;
#[cfg(all(target_os = "wasi", target_env = "p2", not(feature = "wasi")))]
mod sealed;
mod seams;
#[cfg(not(target_family = "wasm"))]
pub mod testing;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use bindings::reach::seam::harness::types::{
    Access, AssistantMessage, BatchPosition, Block, CommandTarget, Content, CustomMessage, Edit, Header, Image,
    Invocation as ToolCall, Location, Message, Model, NewMessage, Origin, ParentCall, PathTarget, Placed, Range,
    RequestedCall, Resolution, ResolvedPath, ResultMessage, StopReason, Target, Thinking, ThinkingLevel, Usage,
    UserMessage,
};
#[doc(hidden)]
pub use plugin::{Export, Instance, Slot, listed};
pub use reach::{
    call_tool, complete, config, conversation, exec, full_result, log, messages, models, session, state, tool_updates,
    ui,
};
pub use rewrite_tool_call::{Rewrite, RewriteToolCall};
pub use seams::*;
pub use tool_call::{Refusal, ToolCallGate, Verdict};
pub use tool_result::{Change, Outcome, ToolResult, ToolResultPatch};
