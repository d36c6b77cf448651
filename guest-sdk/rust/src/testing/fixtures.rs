//! Calls and results as the host would hand them over.

use serde_json::Value;

use super::set_full_result;
use crate::{
    Access, BatchPosition, CommandTarget, Content, Location, Origin, PathTarget, Resolution, ResolvedPath, Target,
    ToolCall, ToolResult,
};

/// The folder that the calls made here work in.
const WORKSPACE: &str = "/workspace";
/// How much text an event carries.
const EVENT_TEXT: usize = 64 << 10;

/// The model's call of `tool`, the only one of its message. A `bash` call has its command as target; the paths of other
/// tools are added with [`ToolCall::reading`] and [`ToolCall::writing`].
pub fn call(tool: &str, arguments: Value) -> ToolCall {
    let command = arguments.get("command").and_then(Value::as_str).filter(|_| tool == "bash");
    let targets = command.map(|command| CommandTarget { command: command.to_owned(), cwd: WORKSPACE.to_owned() });
    ToolCall {
        id: "call-1".to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_string(),
        model_arguments: None,
        origin: Origin::Model,
        targets: targets.into_iter().map(Target::Command).collect(),
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    }
}

/// The result of `call`: one text, no details, no error, final.
pub fn result(call: ToolCall, text: &str) -> ToolResult {
    ToolResult {
        call,
        content: vec![Content::Text(text.to_owned())],
        truncated: false,
        details: None,
        structured_content: None,
        is_error: false,
        usage: None,
        partial: false,
    }
}

/// The result of `call`, its text cut as the host cuts it when it is longer than 64 KiB, and whole in `full-result`.
pub fn long_result(call: ToolCall, text: &str) -> ToolResult {
    set_full_result(text);
    let start = text.get(..text.floor_char_boundary(EVENT_TEXT)).unwrap_or(text);
    ToolResult { truncated: start.len() < text.len(), ..result(call, start) }
}

/// For tests: targets to add to a call.
impl ToolCall {
    /// Adds a path that the call would read: as given, and as the host resolved it, below `/workspace` or outside.
    #[must_use]
    pub fn reading(self, given: &str, resolved: &str) -> Self {
        self.path(given, Access::Read, resolve(resolved))
    }

    /// Adds a path that the call would write: as given, and as the host resolved it, below `/workspace` or outside.
    #[must_use]
    pub fn writing(self, given: &str, resolved: &str) -> Self {
        self.path(given, Access::Write, resolve(resolved))
    }

    /// Adds a path that the call would write and that the host could not resolve, with the reason.
    #[must_use]
    pub fn unresolved(self, given: &str, reason: &str) -> Self {
        self.path(given, Access::Write, Resolution::Unresolved(reason.to_owned()))
    }

    fn path(mut self, given: &str, access: Access, resolution: Resolution) -> Self {
        self.targets.push(Target::Path(PathTarget { given: given.to_owned(), resolution, access }));
        self
    }
}

fn resolve(path: &str) -> Resolution {
    let inside = path.strip_prefix(WORKSPACE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let location = if inside { Location::Inside } else { Location::Outside };
    Resolution::Resolved(ResolvedPath { path: path.to_owned(), location, exists: true })
}
