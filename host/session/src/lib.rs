//! The session log: where a conversation is kept so that it survives its process.
//!
//! The house has a place for it; nothing is kept yet. A conversation lives in the memory of its harness.
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm and no network crate, and knows neither loop nor plugins.
//! - What it keeps is appended, never rewritten.
