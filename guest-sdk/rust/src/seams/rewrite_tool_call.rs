//! The seam `rewrite-tool-call`: other arguments for a call, before any gate sees it.

use serde::Serialize;

use crate::bindings::rewrite_tool_call::exports::seam::harness::rewrite_tool_call as wit;
use crate::{Export, Instance, ToolCall};

pub use wit::Outcome as Rewrite;

/// May change the arguments of a tool call.
///
/// What comes back is validated against the tool's schema and its targets are resolved again. A panic refuses the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `rewrite_tool_call` but does not implement `RewriteToolCall`",
    label = "missing: `impl RewriteToolCall for {Self}`"
)]
pub trait RewriteToolCall {
    /// Takes the call as it stands, gives its new arguments or keeps them.
    fn rewrite(&mut self, call: &ToolCall) -> Rewrite;
}

impl Rewrite {
    /// These arguments instead: a value that serialises to a JSON object. All arguments, not only the changed ones.
    ///
    /// # Panics
    ///
    /// When `arguments` cannot be written as JSON, as a map with keys that are no strings. The call is refused then.
    #[track_caller]
    pub fn arguments<T: Serialize + ?Sized>(arguments: &T) -> Self {
        Self::Arguments(crate::json::write("new arguments", arguments))
    }
}

impl<P: Instance + RewriteToolCall> wit::Guest for Export<P> {
    fn rewrite(event: wit::Event) -> Rewrite {
        P::with(|plugin| plugin.rewrite(&event.call))
    }
}
