//! The seam `tool-call`: a gate, the last place before an effect.

use crate::bindings::tool_call::exports::seam::harness::tool_call as wit;
use crate::{Export, Instance, ToolCall};

pub use wit::{Refusal, Verdict};

/// A gate: may refuse a tool call.
///
/// It sees the final arguments and targets; the tool gets exactly these. `Proceed` overrides no other gate and no rule
/// of the host. A panic is no decision: the call is refused.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `tool_call` but does not implement `ToolCallGate`",
    label = "missing: `impl ToolCallGate for {Self}`"
)]
pub trait ToolCallGate {
    /// Takes the call that is about to run, gives the verdict on it.
    fn decide(&mut self, call: &ToolCall) -> Verdict;
}

impl Verdict {
    /// Do not run it. The model and the user read `reason`, at most 4 KiB of it; the run goes on.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block(Refusal { reason: reason.into(), terminate: false })
    }

    /// Ask the user `question`. Without a user the call is refused.
    pub fn ask(question: impl Into<String>) -> Self {
        Self::Ask(question.into())
    }
}

impl<P: Instance + ToolCallGate> wit::Guest for Export<P> {
    fn decide(event: wit::Event) -> Verdict {
        P::with(|plugin| plugin.decide(&event.call))
    }
}
