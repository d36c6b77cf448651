//! One module per import interface: the import on Wasm, a fake for native tests elsewhere.
//!
//! A plugin imports what it calls and nothing else.

pub mod call_tool;
pub mod complete;
pub mod config;
pub mod conversation;
pub mod exec;
pub mod full_result;
pub mod log;
pub mod messages;
pub mod models;
pub mod session;
pub mod state;
pub mod tool_updates;
pub mod ui;
