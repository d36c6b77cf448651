//! One module per import interface: the import on Wasm, a fake for native tests elsewhere.
//!
//! A plugin imports what it calls and nothing else.

pub mod config;
pub mod conversation;
pub mod full_result;
pub mod log;
pub mod tool_updates;
