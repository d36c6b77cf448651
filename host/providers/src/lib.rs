//! Providers: where the agent loop gets its responses from. The first one, [`scripted`], plays answers from a file.
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
//! - This crate depends on no Wasm. It does not know what a plugin is.
//! - It touches the file system in one place: [`Script::read`] reads a script. No network.
//! - An answer is a function of the script, the number of the request and the abort signal, never of the request.

#![cfg_attr(test, allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used))]

pub mod scripted;

pub use scripted::{Script, ScriptError, Scripted};
