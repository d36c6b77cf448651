//! What is in the session's file beside messages: the import `session`. Needs the grant `session`.
//!
//! ```
//! use seam::session;
//!
//! let entry = session::append("checked", &["src/lib.rs"])?;
//! session::set_label(&entry, Some("checked"))?;
//! # assert_eq!(seam::testing::entries()[0].kind, "checked");
//! # Ok::<(), session::Refusal>(())
//! ```

use serde::Serialize;

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::session as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::session as import;

pub use crate::bindings::reach::seam::harness::session::Refusal;

/// The session's id.
pub fn id() -> String {
    import::id()
}

/// What the user or a plugin has named it.
pub fn name() -> Option<String> {
    import::name()
}

/// The id of the newest entry on the chosen branch; `None` when there is no entry.
pub fn leaf() -> Option<String> {
    import::leaf()
}

/// Names the session. An empty name takes the name away.
///
/// # Errors
///
/// When it is not written: the session is not kept, say.
pub fn set_name(name: &str) -> Result<(), Refusal> {
    import::set_name(name)
}

/// Labels an entry, or takes its label away.
///
/// # Errors
///
/// When it is not written: no entry has this id, say.
pub fn set_label(entry: &str, label: Option<&str>) -> Result<(), Refusal> {
    import::set_label(entry, label)
}

/// Adds an entry that the model is never shown, and gives its id. The kind is in the plugin's own words: at most 64
/// letters, digits, `-`, `_` and `.`.
///
/// # Errors
///
/// When it is not written: the session is not kept, say.
///
/// # Panics
///
/// When the data are none that JSON has, such as a map whose keys are no texts.
#[track_caller]
pub fn append<T: Serialize + ?Sized>(kind: &str, data: &T) -> Result<String, Refusal> {
    import::append(kind, &crate::json::write("the data of an entry", data))
}
