//! Plugins: WebAssembly components loaded from a folder, and their parts in the seams.
//!
//! [`PluginEngine::load_folder`] reads every `*.wasm` of a folder in byte order of the file names. Each is inspected
//! before it is compiled: what it exports is its power, what it imports is its reach. What is unknown or not granted is
//! a [`LoadError`] that names the file, the item and the remedy; one bad file never hides the others. A loaded
//! [`Plugin`] is shared; [`connect`] makes a session's hooks of it, each with instances of its own.
//!
//! # Architecture invariants
//!
//! - This is the only crate that names wasmtime.
//! - Nothing is linked that the component does not import and that is not granted.
//! - Time, memory, tables, stack, returned data and log notes of a guest are bounded, per call.
//! - After any error of a call its instance is gone; the next call gets another one. No count of failures switches a
//!   hook off.
//! - Optional exports are found from the component's type, never by calling.
//! - One seam is one module in `seams`.

pub mod audit;
pub mod contract;
pub mod grants;
pub mod inspect;
pub mod limits;
pub mod load;
pub mod replay;
pub mod watch;

mod bindings;
mod bounds;
mod cache;
mod connect;
mod convert;
mod engine;
mod instance;
mod journal;
mod link;
mod pool;
mod reach;
mod seams;
mod state;
mod texts;
mod waits;
mod wasi;
mod watching;

pub use audit::Audit;
pub use connect::{Connected, announce, connect};
pub use engine::{EngineError, PluginEngine, WASMTIME};
pub use grants::{Folder, FolderMode, Grant, Grants};
pub use inspect::Digest;
pub use limits::{InstancePolicy, Limits, Mode, OnFailureRules, Settings, Word};
pub use link::Plugin;
pub use load::{LoadError, LoadProblem, NeededGrants};
