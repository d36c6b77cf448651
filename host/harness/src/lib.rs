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
//!   stored ends the run. So does a journal that cannot be written: no call has an effect before it is written that it
//!   begins.
//! - A conversation is made shorter between two turns or between two runs, never while a call is under way, and a call
//!   stays with its result.
//! - Observers are never waited for while a run lasts.
//! - Plugins change between two runs, all at once. What is under way with the old ones ends with them.

pub mod bus;
pub mod dispatcher;
pub mod edits;
pub mod event;
pub mod failure;
pub mod moment;
pub mod reach;
pub mod rules;
pub mod seams;
pub mod tools;

mod ask;
mod compaction;
mod harness;
mod hooks;
mod ids;
mod journal;
mod observers;
mod phase;
mod record;
mod refusal;
mod sent;
mod settings;
mod stored;
mod tell;
mod texts;
mod upkeep;
mod wire;

pub use bus::{Hook, HookBus, OnFailure};
pub use compaction::CompactionSettings;
pub use dispatcher::{Dispatcher, FinalCall};
pub use event::{CallOutcome, Event, Reason, SessionEvent, Sink};
pub use failure::{Failure, Refused, Stopped};
pub use harness::{
    Compacted, Handle, Harness, Heard, Left, Move, Moved, NewFork, NewPlugins, NoSummary, NotCompacted, NotForked,
    NotMoved, NotReplaced, NotStarted, NotSwitched, Parts, fork,
};
pub use moment::{Conversation, Moment};
pub use phase::{NoRun, Phase};
pub use reach::Reach;
pub use rules::{HostRules, Journals};
pub use settings::{InvalidTools, MissingTools, Restore};
pub use tools::{ToolSet, ToolSetError};
pub use upkeep::{RetrySettings, Upkeep};
