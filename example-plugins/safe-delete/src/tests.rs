#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

mod behaviour;
mod text;

use seam::testing::{call, json};
use seam::{Rewrite, RewriteToolCall, Target, ToolCall};
use serde_json::Value;

use crate::SafeDelete;

/// A `bash` call in `cwd`.
fn bash(command: &str, cwd: &str) -> ToolCall {
    let mut call = call("bash", json!({ "command": command, "timeout": 5 }));
    for target in &mut call.targets {
        if let Target::Command(command) = target {
            command.cwd = cwd.to_owned();
        }
    }
    call
}

/// The command as the plugin leaves it; `None` when it keeps the call.
fn rewritten(plugin: &mut SafeDelete, call: &ToolCall) -> Option<String> {
    let arguments: Value = match plugin.rewrite(call) {
        Rewrite::Keep => return None,
        Rewrite::Arguments(arguments) => serde_json::from_str(&arguments).unwrap(),
    };
    let command = arguments["command"].as_str().unwrap().to_owned();
    assert_eq!(arguments, json!({ "command": command, "timeout": 5 }), "other arguments stay");
    Some(command)
}
