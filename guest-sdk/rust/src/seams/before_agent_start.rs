//! The seam `before-agent-start`: a prompt that is about to start a run.

use crate::bindings::before_agent_start::exports::seam::harness::before_agent_start as wit;
use crate::{Export, Instance};

pub use wit::{Change, Event as Prompt};

/// May add messages to a prompt and change the system prompt, once per prompt.
///
/// Several plugins form a chain; their messages add up. A panic is reported and the prompt goes on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `before_agent_start` but does not implement `BeforeAgentStart`",
    label = "missing: `impl BeforeAgentStart for {Self}`"
)]
pub trait BeforeAgentStart {
    /// Takes the prompt, gives what changes; nothing when the list is empty.
    fn prepare(&mut self, prompt: &Prompt) -> Vec<Change>;
}

impl Change {
    /// This system prompt, for this run.
    pub fn system_prompt(text: impl Into<String>) -> Self {
        Self::SystemPrompt(text.into())
    }
}

impl<P: Instance + BeforeAgentStart> wit::Guest for Export<P> {
    fn prepare(event: wit::Event) -> Vec<Change> {
        P::with(|plugin| plugin.prepare(&event))
    }
}
