//! `commands`: what the user can type as `/name arguments`.

use std::sync::Arc;

use async_trait::async_trait;

use crate::failure::Failure;
use crate::moment::Moment;

/// A command on offer.
#[derive(Clone)]
pub struct Command {
    /// The plugin that runs it.
    pub plugin: Arc<str>,
    /// Its name, without the slash.
    pub name: String,
    /// What it does, in a line.
    pub description: String,
    /// The plugin.
    pub seam: Arc<dyn Commands>,
}

/// What a command leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It failed; the user reads this.
    Failed(String),
    /// The user reads this.
    Reply(String),
    /// The agent is prompted with this.
    Prompt(String),
}

/// `commands`: runs a plugin's commands.
#[async_trait]
pub trait Commands: Send + Sync {
    /// Runs one.
    ///
    /// # Errors
    /// When the plugin failed.
    async fn run(&self, name: &str, arguments: &str, at: &Moment) -> Result<CommandOutcome, Failure>;
}
