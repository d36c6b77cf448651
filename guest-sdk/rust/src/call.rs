//! What a tool call offers beside its fields: typed arguments, its command, its paths.

use serde::de::DeserializeOwned;

use crate::{CommandTarget, Content, PathTarget, Resolution, ResolvedPath, Target, ToolCall, json};

impl ToolCall {
    /// The arguments as a `T`, when this is a call of `tool`; `None` for another tool.
    ///
    /// # Panics
    ///
    /// When the arguments of that tool are no `T`. An error is never a decision: the panic traps, and the host refuses
    /// the call. So a `T` names only what the plugin needs, and its optional fields are `Option`s.
    #[track_caller]
    pub fn args_of<T: DeserializeOwned>(&self, tool: &str) -> Option<T> {
        match self.tool == tool {
            true => Some(json::read(&format!("the arguments of `{tool}`"), &self.arguments)),
            false => None,
        }
    }

    /// The shell command that the call would run, byte for byte; the first one, should a tool run several.
    pub fn command(&self) -> Option<&str> {
        self.commands().next().map(|target| target.command.as_str())
    }

    /// Each shell command that the call would run. What a command touches in turn is not known.
    pub fn commands(&self) -> impl Iterator<Item = &CommandTarget> {
        self.targets.iter().filter_map(|target| match target {
            Target::Command(command) => Some(command),
            _ => None,
        })
    }

    /// Each path that the call would read or write, as the host resolved it.
    pub fn paths(&self) -> impl Iterator<Item = &PathTarget> {
        self.targets.iter().filter_map(|target| match target {
            Target::Path(path) => Some(path),
            _ => None,
        })
    }
}

impl PathTarget {
    /// Where the path leads; `None` when the host could not resolve it, and then the tool fails.
    pub fn resolved(&self) -> Option<&ResolvedPath> {
        match &self.resolution {
            Resolution::Resolved(path) => Some(path),
            Resolution::Unresolved(_) => None,
        }
    }
}

impl Content {
    /// The text, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) => None,
        }
    }
}
