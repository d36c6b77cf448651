//! Makes `rm` in shell commands a move into a trash folder, and asks before a command that deletes around it.
//!
//! The rewrite puts a shell function named `rm` in front of the command. So the shell itself finds each `rm`, with its
//! quotes, variables, globs, loops and pipes; nothing here guesses at shell syntax. What starts the program `rm` by
//! other means is not caught by a function: the gate asks about it.

mod hidden;
mod trash;

#[cfg(test)]
mod tests;

use seam::{CommandTarget, Rewrite, RewriteToolCall, ToolCall, ToolCallGate, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The settings, and the plugin itself.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SafeDelete {
    /// The trash folder: absolute, or below the folder that the command starts in.
    trash: String,
}

impl Default for SafeDelete {
    fn default() -> Self {
        Self { trash: ".trash".to_owned() }
    }
}

impl RewriteToolCall for SafeDelete {
    fn rewrite(&mut self, call: &ToolCall) -> Rewrite {
        let (Some(mut arguments), Some(target)) = (call.args_of::<Map<String, Value>>("bash"), call.commands().next())
        else {
            return Rewrite::Keep;
        };
        if !hidden::mentions_rm(&target.command) {
            return Rewrite::Keep;
        }
        let command = self.function(call, target) + &target.command;
        arguments.insert("command".to_owned(), Value::String(command));
        Rewrite::arguments(&arguments)
    }
}

impl ToolCallGate for SafeDelete {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        let hidden = call.commands().find_map(|target| {
            let function = self.function(call, target);
            hidden::delete(target.command.strip_prefix(&function).unwrap_or(&target.command))
        });
        match hidden {
            Some(how) => Verdict::ask(format!("The command deletes for good, not into the trash: `{how}`. Run it?")),
            None => Verdict::Proceed,
        }
    }
}

impl SafeDelete {
    fn function(&self, call: &ToolCall, target: &CommandTarget) -> String {
        trash::function(&self.trash, &target.cwd, &call.id)
    }
}

seam::plugin!(SafeDelete from config: rewrite_tool_call, tool_call);
