//! For native tests of a plugin: calls, results and messages to judge, settings, and what it wrote and sent.
//!
//! Hooks are called as plain methods. All that is set and taken here belongs to the test's own thread.
//!
//! ```
//! use seam::testing::{call, json, notes, set_config};
//!
//! set_config(json!({ "deny": ["rm"] }));
//! let call = call("bash", json!({ "command": "rm x" }));
//! assert_eq!(call.command(), Some("rm x"));
//! seam::log::info("looked at it");
//! assert_eq!(notes(), ["info: looked at it"]);
//! ```

use std::cell::RefCell;

pub use serde_json::{Value, json};

use crate::log::Level;

pub(crate) mod call_tool;
pub(crate) mod complete;
pub(crate) mod conversation;
pub(crate) mod exec;
mod fixtures;
pub(crate) mod messages;
pub(crate) mod models;
pub(crate) mod session;
pub(crate) mod state;
pub(crate) mod tool_updates;
pub(crate) mod ui;
pub use call_tool::{calls, on_call};
pub use complete::{on_ask, set_budget};
pub use conversation::{answer, assistant, set_conversation};
pub use exec::{on_run, runs};
pub use fixtures::{call, long_result, result};
pub use messages::{sent, set_run};
pub use models::{set_model, set_tools};
pub use session::{Entry, entries, set_session_name};
pub use state::{remembered, set_remembered};
pub use tool_updates::{Update, cancel, updates};
pub use ui::{Answer, said, set_answers};

thread_local! {
    static CONFIG: RefCell<String> = RefCell::new("{}".to_owned());
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static FULL_RESULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sets what the import `config` gives.
pub fn set_config(config: Value) {
    CONFIG.set(config.to_string());
}

/// Takes the notes written since the last time, each as `level: message`.
pub fn notes() -> Vec<String> {
    NOTES.take()
}

/// Sets what the import `full-result` gives.
pub fn set_full_result(text: impl Into<String>) {
    FULL_RESULT.set(Some(text.into()));
}

pub(crate) fn config() -> String {
    CONFIG.with_borrow(Clone::clone)
}

pub(crate) fn note(level: Level, message: &str) {
    let level = match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
        Level::Debug => "debug",
    };
    NOTES.with_borrow_mut(|notes| notes.push(format!("{level}: {message}")));
}

/// The fake of the import `full-result`.
pub(crate) mod full_result {
    #![allow(clippy::panic, reason = "the import traps too when no result is under review")]

    use super::FULL_RESULT;

    const MOST: usize = 1 << 20;

    pub(crate) fn length() -> u32 {
        with(|text| u32::try_from(text.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn read(offset: u32, length: u32) -> String {
        with(|text| {
            let start = text.floor_char_boundary(offset as usize);
            let end = text.floor_char_boundary(start.saturating_add(MOST.min(length as usize)));
            let first = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            text.get(start..end.max(start + first)).unwrap_or_default().to_owned()
        })
    }

    fn with<R>(view: impl FnOnce(&str) -> R) -> R {
        FULL_RESULT.with_borrow(|text| match text {
            Some(text) => view(text),
            None => panic!("no full result: call `seam::testing::set_full_result` or `long_result` first"),
        })
    }
}
