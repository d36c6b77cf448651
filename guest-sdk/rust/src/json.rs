//! JSON in and out, where a failure must be a trap and not a decision.

#![allow(clippy::panic, reason = "a guest traps by panicking; the host takes a trap as a failure and refuses")]

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads `text`, or panics at the caller's line with what was read and why not.
#[track_caller]
pub(crate) fn read<T: DeserializeOwned>(what: &str, text: &str) -> T {
    match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Writes `value`, or panics at the caller's line.
#[track_caller]
pub(crate) fn write<T: Serialize + ?Sized>(what: &str, value: &T) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => panic!("{what}: {error}"),
    }
}
