//! One conversation and everything that may decide in it.
//!
//! The [`Harness`] owns the transcript, the provider and the [`Dispatcher`]. The dispatcher is the one way from a tool
//! call to its effect: prepare, validate, rewrites, host rules, gates, body, patches, in this order and no other.
//! Plugins take part through the traits in [`seams`], which this crate owns; it does not know what a plugin is made of.
//! How the answers of several plugins combine stands there too, beside each trait.
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm and no network crate.
//! - There is one dispatcher. A tool's body is private to it.
//! - A [`FinalCall`] is made by the dispatcher alone, after the last rewrite; nothing can change it. Only the approval
//!   of the host's rules and of every gate turns it into something that runs.
//! - A failure is never a decision: it is told apart everywhere, and refuses where something is protected, unless the
//!   user said `skip`.
//! - No plugin can permit what the host, the user or another plugin refuses.
//! - A message that is to be kept is stored before anybody is told of it, and before anything depends on it. What cannot be
//!   stored ends the run.
//! - Observers are never waited for while a run lasts.

pub mod bus;
pub mod dispatcher;
pub mod edits;
pub mod event;
pub mod failure;
pub mod moment;
pub mod rules;
pub mod seams;
pub mod tools;

mod harness;
mod hooks;
mod ids;
mod observers;
mod record;
mod refusal;
mod stored;
mod tell;
mod texts;

pub use bus::{Hook, HookBus, OnFailure};
pub use dispatcher::{Dispatcher, FinalCall};
pub use event::{Event, Reason, SessionEvent, Sink};
pub use failure::{Failure, Refused, Stopped};
pub use harness::{Handle, Harness, Heard, NotStarted, Parts};
pub use moment::{Conversation, Moment};
pub use rules::HostRules;
pub use tools::{ToolSet, ToolSetError};
