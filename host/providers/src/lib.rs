//! Providers: where the agent loop gets its responses from.
//!
//! [`Providers`] asks real models. A request takes this way:
//!
//! - `conversation` tells the conversation as the model is told it, whoever had a part in it,
//! - `protocol` writes it as the service reads it (one module for each wire protocol),
//! - `service` asks plugins about it and sends it, through `transport`,
//! - `response` reads the events of the response and gives them to the protocol's reader,
//! - `answer` makes of what the reader finds what the loop reads.
//!
//! [`scripted`] plays answers from a file:
//!
//! ```
//! use seam_providers::{Script, Scripted};
//!
//! let script = Script::parse(r#"{"turns": [{"content": [{"text": "Hello."}]}]}"#, "hello.json")?;
//! let provider = Scripted::new(script);
//! # Ok::<(), seam_providers::ScriptError>(())
//! ```
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm. It does not know what a plugin is: it asks `seam_loop`'s `ProviderHooks`.
//! - It touches the file system in two places: a script, and a `ca-file`.
//! - A key is in a `Key`, a header on its way and nothing else: no error, event or log line holds one.
//! - A response that did not come to its end is an error, never a shorter answer.
//! - It asks once: who asks again, and when, is decided by the harness.
//! - A scripted answer is a function of the script, the number of the request and the abort signal, never of the request.

#![cfg_attr(test, allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used))]

mod address;
mod answer;
mod blame;
mod conversation;
mod fault;
mod json;
mod keys;
mod options;
mod probe;
mod protocol;
mod providers;
mod response;
pub mod scripted;
mod service;
mod settings;
mod table;
mod transport;

pub use address::address;
pub use probe::{About, KeySign, Trouble, Unasked};
pub use protocol::Protocol;
pub use providers::{InvalidProvider, Known, Providers};
pub use scripted::{Script, ScriptError, Scripted};
pub use settings::{ProviderSettings, Quirk};
pub use table::{Amount, Cost, Facts, ModelSettings};
