//! The seam `commands`: commands for the user, `/name arguments`.

use crate::bindings::commands::exports::seam::harness::commands as wit;
use crate::{Export, Instance};

pub use wit::{Definition, Event as Command, Outcome};

/// Offers commands to the user.
///
/// A panic is told to the user.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `commands` but does not implement `Commands`",
    label = "missing: `impl Commands for {Self}`"
)]
pub trait Commands {
    /// Gives the commands. Asked once per session, at its start.
    fn list_commands(&mut self) -> Vec<Definition>;

    /// Runs a command.
    fn run(&mut self, command: &Command) -> Outcome;
}

impl Definition {
    /// A command: its name without the slash, and what it does, in a line.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into() }
    }
}

impl Outcome {
    /// It failed; the user reads this.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }

    /// The user reads this.
    pub fn reply(text: impl Into<String>) -> Self {
        Self::Reply(text.into())
    }

    /// The agent is prompted with this.
    pub fn prompt(text: impl Into<String>) -> Self {
        Self::Prompt(text.into())
    }
}

impl<P: Instance + Commands> wit::Guest for Export<P> {
    fn list_commands() -> Vec<Definition> {
        P::with(P::list_commands)
    }

    fn run(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.run(&event))
    }
}
