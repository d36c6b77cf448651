//! What the plugin remembers in the session: the import `state`. Always granted; 64 KiB unless the user says otherwise.
//!
//! It outlasts the instance and the process, and follows the branch that is chosen, and forks. What a call writes is kept
//! when the call ends, and nothing of it when it fails. Two calls that run at once see what was there when each began.
//!
//! ```
//! # use seam::testing;
//! use seam::state;
//!
//! let seen: u32 = state::read("seen").unwrap_or(0);
//! state::write("seen", &(seen + 1))?;
//! # assert_eq!(testing::remembered(), [("seen".to_owned(), "1".to_owned())]);
//! # Ok::<(), state::Refusal>(())
//! ```
//!
//! A plugin that must not forget lets a refusal be a failure: `state::set(..).unwrap()` traps, and the host refuses.

use serde::Serialize;
use serde::de::DeserializeOwned;

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::state as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::state as import;

pub use crate::bindings::reach::seam::harness::state::Refusal;

/// The text under a key; `None` when there is none.
pub fn get(key: &str) -> Option<String> {
    import::get(key)
}

/// All keys, in byte order.
pub fn keys() -> Vec<String> {
    import::keys()
}

/// Keeps a text under a key, in the place of what was there.
///
/// # Errors
///
/// When it is not kept: there is too much, the key is none, or it was written too often in this run.
pub fn set(key: &str, text: &str) -> Result<(), Refusal> {
    import::set(key, text)
}

/// Forgets a key. One that is not there is no error.
///
/// # Errors
///
/// When the key is none, or it was written too often in this run.
pub fn delete(key: &str) -> Result<(), Refusal> {
    import::delete(key)
}

/// What [`write()`] kept under a key; `None` when there is nothing.
///
/// # Panics
///
/// When it is no `T`. The panic traps, and the host takes that as a failure.
#[track_caller]
pub fn read<T: DeserializeOwned>(key: &str) -> Option<T> {
    get(key).map(|text| crate::json::read("what is remembered", &text))
}

/// Keeps a value under a key, as JSON.
///
/// # Errors
///
/// As [`set`].
///
/// # Panics
///
/// When the value is none that JSON has, such as a map whose keys are no texts.
#[track_caller]
pub fn write<T: Serialize + ?Sized>(key: &str, value: &T) -> Result<(), Refusal> {
    set(key, &crate::json::write("what is to be remembered", value))
}
