//! What a tool of this plugin has so far: the import `tool-updates`. Always granted; shown by the audit.
//!
//! It speaks for the running call: outside [`Tools::execute`](crate::tools::Tools::execute) it traps.

use crate::Content;

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::tool_updates as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::tool_updates as import;

/// Shows what there is so far, with details as JSON text. Gives whether the call should go on; when not, it should
/// return [`Failure::Cancelled`](crate::tools::Failure::Cancelled) soon.
#[must_use = "`false` says that the call was cancelled"]
pub fn send(content: &[Content], details: Option<&str>) -> bool {
    import::send(content, details)
}

/// Shows this text, without details; as [`send`].
#[must_use = "`false` says that the call was cancelled"]
pub fn send_text(text: &str) -> bool {
    send(&[Content::Text(text.to_owned())], None)
}
