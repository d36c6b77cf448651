//! Calls of the session's tools: the import `call-tool`. Needs the grant `tools`, a list of their names.
//!
//! A call goes the way of every call: every gate judges it, this plugin's own too on another instance, and its result
//! passes every patch. Calls of plugins within calls of plugins end at a depth of 4. The time it takes is not this
//! plugin's.
//!
//! ```
//! use seam::call_tool;
//! use seam::testing::json;
//!
//! # seam::testing::on_call(|_, _| Ok(call_tool::Output::of("[package]")));
//! let read = call_tool::call("read", &json!({ "path": "Cargo.toml" }))?;
//! assert!(read.text().contains("[package]"));
//! # Ok::<(), call_tool::Failure>(())
//! ```
//!
//! A gate that calls a tool judges that call too. One that calls what it judges must let its own call through:
//! [`Origin::Plugin`](crate::Origin::Plugin) says whose it is.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Content, json};

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::call_tool as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::call_tool as import;

pub use crate::bindings::reach::seam::harness::call_tool::{Failure, Output};

/// Calls a tool with these arguments: any value that serialises to a JSON object.
///
/// # Errors
///
/// When the call was not run, or ran and failed.
///
/// # Panics
///
/// When the arguments cannot be written as JSON.
#[track_caller]
pub fn call<T: Serialize + ?Sized>(tool: &str, arguments: &T) -> Result<Output, Failure> {
    call_json(tool, &json::write("the arguments", arguments))
}

/// The same with arguments that are JSON text.
///
/// # Errors
///
/// As [`call`].
pub fn call_json(tool: &str, arguments: &str) -> Result<Output, Failure> {
    import::call(tool, arguments)
}

impl Output {
    /// This text, and nothing for programs.
    pub fn of(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], details: None, structured_content: None }
    }

    /// Its text: one after another when there are several.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.content.iter().filter_map(Content::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(self.content.iter().filter_map(Content::as_text).collect()),
        }
    }

    /// What it adds for programs, as a `T`; `None` when it adds nothing.
    ///
    /// # Panics
    ///
    /// When it is no `T`. The panic traps, and the host takes that as a failure.
    #[track_caller]
    pub fn details<T: DeserializeOwned>(&self) -> Option<T> {
        self.details.as_deref().map(|details| json::read("the details", details))
    }
}

impl Failure {
    /// What the host or the tool says about it.
    pub fn reason(&self) -> &str {
        match self {
            Self::NotRun(reason) | Self::Failed(reason) => reason,
        }
    }
}
