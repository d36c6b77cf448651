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
//! | seam | trait | may |
//! |---|---|---|
//! | `rewrite_tool_call` | [`RewriteToolCall`] | change the arguments of a call |
//! | `tool_call` | [`ToolCallGate`] | refuse a call |
//! | `tool_result` | [`ToolResultPatch`] | change or withhold a result |
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
mod plugin;
mod reach;
#[cfg(all(target_os = "wasi", target_env = "p2", not(feature = "wasi")))]
mod sealed;
#[doc(hidden)]
pub mod seams;
#[cfg(not(target_family = "wasm"))]
pub mod testing;

pub use bindings::reach::seam::harness::types::{
    Access, BatchPosition, CommandTarget, Content, Image, Invocation as ToolCall, Location, Origin, ParentCall,
    PathTarget, Resolution, ResolvedPath, Target, Usage,
};
#[doc(hidden)]
pub use plugin::{Export, Instance, Slot, listed};
pub use reach::{config, full_result, log};
pub use seams::rewrite_tool_call::{Rewrite, RewriteToolCall};
pub use seams::tool_call::{Refusal, ToolCallGate, Verdict};
pub use seams::tool_result::{Change, Outcome, ToolResult, ToolResultPatch};
