//! Rewrites `rm` in a `bash` call into a move to a trash folder; leaves alone what it cannot parse.
//!
//! A seat belt against accidents, not a boundary: `sudo rm`, `xargs rm` or a script delete as before.

mod rm;
mod shell;
mod trash;

#[cfg(test)]
mod tests;

use rm::Rm;
use seam::{CommandTarget, Rewrite, RewriteToolCall, ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value};
use trash::Trash;

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
        let Some(command) = self.with_moves(target, &call.id) else { return Rewrite::Keep };
        arguments.insert("command".to_owned(), Value::String(command));
        Rewrite::arguments(&arguments)
    }
}

impl SafeDelete {
    /// The command with each `rm` as a move, all else byte for byte; `None` when it stays as it is.
    fn with_moves(&self, target: &CommandTarget, call: &str) -> Option<String> {
        let trash = Trash { setting: &self.trash, cwd: &target.cwd, call };
        let commands = shell::parse(&target.command)?;
        let (mut text, mut copied, mut in_first_folder) = (String::new(), 0, true);
        for command in &commands {
            if !command.is("rm") {
                // It may be a `cd`.
                in_first_folder = false;
                continue;
            }
            let rm = Rm::parse(command.arguments()).filter(|rm| !rm.names(|path| trash.is_within(path)))?;
            text.push_str(target.command.get(copied..command.start())?);
            text.push_str(&rm.as_move(&trash.folder(in_first_folder), commands.len() == 1));
            copied = command.end();
        }
        (copied > 0).then(|| text + target.command.get(copied..).unwrap_or_default())
    }
}

seam::plugin!(SafeDelete from config: rewrite_tool_call);
