//! A gate that keeps tools away from files a user would not hand over: secrets, and files that may be read only.
//!
//! It judges what the host resolved, not what a path looks like. A shell command is judged by its text: help against
//! accidents, no boundary.

mod command;
mod glob;
mod patterns;

#[cfg(test)]
mod tests;

use command::Char;
use glob::Glob;
use patterns::Patterns;
use seam::{Access, PathTarget, ToolCall, ToolCallGate, Verdict};
use serde::Deserialize;

/// The settings, and the gate itself.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct ProtectedPaths {
    /// Neither read nor written.
    secret: Patterns,
    /// Read, but not written.
    read_only: Patterns,
    /// Whether commands that name a protected path are judged too.
    commands: bool,
}

impl Default for ProtectedPaths {
    fn default() -> Self {
        Self { secret: patterns::secrets(), read_only: patterns::read_only(), commands: true }
    }
}

impl ToolCallGate for ProtectedPaths {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if let Some(reason) = call.paths().find_map(|target| self.refuse_path(target)) {
            return Verdict::block(reason);
        }
        match self.commands {
            true => call.commands().fold(Verdict::Proceed, |so_far, target| match so_far {
                Verdict::Proceed => self.judge_command(&target.command),
                decided => decided,
            }),
            false => Verdict::Proceed,
        }
    }
}

impl ProtectedPaths {
    /// Why the path may not be touched, when it may not.
    fn refuse_path(&self, target: &PathTarget) -> Option<String> {
        let given = target.given.as_str();
        let Some(resolved) = target.resolved() else {
            return Some(format!("`{given}` could not be resolved, so it cannot be judged"));
        };
        let names = [resolved.path.as_str(), given];
        let find = |patterns: &Patterns| names.iter().find_map(|name| patterns.matching(name).map(str::to_owned));
        if let Some(pattern) = find(&self.secret) {
            return Some(format!("`{}` is protected by `{pattern}`: no reading, no writing", resolved.path));
        }
        match target.access {
            Access::Read => None,
            Access::Write => find(&self.read_only)
                .map(|pattern| format!("`{}` is protected by `{pattern}`: reading only", resolved.path)),
        }
    }

    /// What a command does is not known: naming a secret is refused, naming a read-only path is for the user to judge.
    fn judge_command(&self, command: &str) -> Verdict {
        let words = command::words(command);
        let find = |patterns: &Patterns| words.iter().find_map(|word| named(patterns, word));
        if let Some((word, pattern)) = find(&self.secret) {
            return Verdict::block(format!("the command names `{word}`, protected by `{pattern}`"));
        }
        match find(&self.read_only) {
            Some((word, pattern)) => {
                Verdict::ask(format!("The command names `{word}`, read-only by `{pattern}`. Run it?"))
            }
            None => Verdict::Proceed,
        }
    }
}

/// What in the word of a command names a protected path, and the pattern that protects it.
fn named(patterns: &Patterns, word: &[Char]) -> Option<(String, String)> {
    let plain = command::plain(word);
    let of = |(name, pattern): (&str, &str)| (name.to_owned(), pattern.to_owned());
    command::candidates(&plain)
        .find_map(|name| Some((name, patterns.matching(name)?)))
        .or_else(|| Some((plain.as_str(), patterns.within(&Glob::of(word)?)?)))
        .map(of)
}

seam::plugin!(ProtectedPaths from config: tool_call);
