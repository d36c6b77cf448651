//! A tool call as gates see it.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::arguments::ValidArguments;

/// Who asked for a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// The model.
    Model,
    /// The body of another tool call.
    Nested {
        /// The id of the outer call.
        id: String,
        /// The tool of the outer call.
        tool: String,
    },
    /// A plugin, by name.
    Plugin(String),
    /// The user, directly.
    User,
    /// A session that was resumed.
    Resumed,
}

/// The place of a call among the calls of one model message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchPosition {
    /// Its place, from 0.
    pub index: u32,
    /// How many calls the message holds.
    pub size: u32,
}

/// What a call would do to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Create, change or remove what is there.
    Write,
    /// Read or list what is there.
    Read,
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Out of the workspace.
    Outside,
    /// Into the workspace.
    Inside,
}

/// The outcome of looking a path up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It could not be resolved, and why.
    Unresolved(String),
    /// It leads here: every link followed, canonical, absolute.
    Resolved {
        /// The canonical path.
        path: PathBuf,
        /// In or out of the workspace.
        location: Location,
        /// Whether something is there now.
        exists: bool,
    },
}

/// Something in the world that a call would touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file or folder.
    Path {
        /// The path as the arguments give it.
        given: String,
        /// Where it leads.
        resolution: Resolution,
        /// What the call would do there.
        access: Access,
    },
    /// A shell command.
    Command {
        /// The command, byte for byte.
        command: String,
        /// The canonical folder it starts in.
        cwd: PathBuf,
    },
    /// Something else, in the tool's own words.
    Other(String),
}

/// A tool call as rewriters, gates and patches see it.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The arguments. For a gate and later: exactly what the tool gets.
    pub arguments: ValidArguments,
    /// The model's own arguments, as JSON text, when they differ.
    pub model_arguments: Option<String>,
    /// Who asked for it.
    pub origin: Origin,
    /// What it would touch, resolved from the arguments.
    pub targets: Vec<Target>,
    /// The turn of the run, from 1; 0 for a call that belongs to no turn.
    pub turn: u32,
    /// Its place in the model's message.
    pub batch: BatchPosition,
}
