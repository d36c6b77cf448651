//! The choice of model, thinking level and tools: the import `models`. Needs the grant `models`.
//!
//! What is chosen counts from the next turn on. A plugin may choose 100 times in a run.
//!
//! ```
//! use seam::{ThinkingLevel, models};
//!
//! if models::current().id == "small" {
//!     models::select_level(ThinkingLevel::High)?;
//! }
//! # Ok::<(), String>(())
//! ```

use crate::{Model, ThinkingLevel};

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::models as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::models as import;

pub use crate::bindings::reach::seam::harness::models::OfferedTool;

/// The chosen model.
pub fn current() -> Model {
    import::current()
}

/// How much it thinks.
pub fn level() -> ThinkingLevel {
    import::level()
}

/// All tools there are.
pub fn all_tools() -> Vec<OfferedTool> {
    import::all_tools()
}

/// Chooses a model.
///
/// # Errors
///
/// Why it cannot be chosen.
pub fn select(model: &Model) -> Result<(), String> {
    import::select(model)
}

/// Chooses how much the model thinks.
///
/// # Errors
///
/// Why it cannot be chosen.
pub fn select_level(level: ThinkingLevel) -> Result<(), String> {
    import::select_level(level)
}

/// Chooses the tools that the model may call; all others it may not.
///
/// # Errors
///
/// Which of them there is not.
pub fn select_tools(names: impl IntoIterator<Item = impl Into<String>>) -> Result<(), String> {
    import::select_tools(&names.into_iter().map(Into::into).collect::<Vec<_>>())
}
