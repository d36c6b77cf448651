//! One module per seam: its trait, its types, and how the trait answers the export.
//!
//! A new seam is a file here, a line in each list below, and a line in `bindings.rs`.

pub mod rewrite_tool_call;
pub mod tool_call;
pub mod tool_result;

/// Fails to compile when the plugin implements the trait of a seam that it does not list.
#[doc(hidden)]
#[macro_export]
macro_rules! __check_seams {
    ($plugin:ident, $listed:expr) => {
        $crate::__check_seam!($plugin, $listed, rewrite_tool_call, RewriteToolCall);
        $crate::__check_seam!($plugin, $listed, tool_call, ToolCallGate);
        $crate::__check_seam!($plugin, $listed, tool_result, ToolResultPatch);
    };
}
