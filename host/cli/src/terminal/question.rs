//! What the user is asked: who makes the call, if it is a plugin; what it would touch, whole; then the rest of it, shortened piece by piece, so that
//! nothing can hide behind something long; then the plugins' questions, each on a line of its own.

use std::sync::Arc;

use seam_loop::tool::{Access, Location, Resolution};
use seam_loop::{Origin, Target, ToolCall};

use crate::terminal::style::{both_ends, exact, one_line};

/// How long what a call touches gets, in characters.
const TARGET: usize = 4000;
/// How long every other value gets.
const VALUE: usize = 200;
/// How long a name gets.
const NAME: usize = 60;
/// How long a plugin's question gets.
const QUESTION: usize = 1000;
/// How many other arguments are shown.
const ARGUMENTS: usize = 20;

/// The whole question.
pub(crate) fn question(call: &ToolCall, questions: &[(Arc<str>, String)]) -> String {
    let mut text = format!("\n{}\n", one_line(&call.tool, NAME));
    if let Origin::Plugin(plugin) = &call.origin {
        text.push_str(&format!("  plugin {} makes this call\n", one_line(plugin, NAME)));
    }
    text.extend(call.targets.iter().map(target));
    text.push_str(&others(call));
    for (plugin, question) in questions {
        let question = both_ends(&exact(question).replace('\n', "⏎ "), QUESTION);
        text.push_str(&format!("  {} asks: {question}\n", one_line(plugin, NAME)));
    }
    text.push_str("  Run it? [y/N] ");
    text
}

fn target(target: &Target) -> String {
    match target {
        Target::Command { command, cwd } => entry("runs", command) + &entry("in", &cwd.display().to_string()),
        Target::Path { given, resolution, access } => {
            let does = if *access == Access::Write { "writes" } else { "reads" };
            entry(does, &path(given, resolution))
        }
        Target::Other(what) => entry("touches", what),
    }
}

/// Where a path leads, and then how the call names it.
fn path(given: &str, resolution: &Resolution) -> String {
    let given = both_ends(given, VALUE);
    match resolution {
        Resolution::Unresolved(why) => format!("what cannot be found ({why}), given as {given:?}"),
        Resolution::Resolved { path, location, .. } => {
            let place = if *location == Location::Outside { ", outside the workspace" } else { "" };
            format!("{}{place}, given as {given:?}", path.display())
        }
    }
}

/// A label and a text. A line of the text that is not the first is marked as one.
fn entry(label: &str, text: &str) -> String {
    let text = both_ends(&exact(text), TARGET).replace('\n', "\n  ⏎       ");
    format!("  {label:<7} {text}\n")
}

/// The arguments that are no target, one on each line.
fn others(call: &ToolCall) -> String {
    let is_shown = |text: &str| call.targets.iter().any(|target| names(target, text));
    let others: Vec<_> =
        call.arguments.value().iter().filter(|(_, value)| !value.as_str().is_some_and(is_shown)).collect();
    let mut text: String =
        others.iter().take(ARGUMENTS).map(|(key, value)| argument(key, &value.to_string())).collect();
    if let Some(more) = others.len().checked_sub(ARGUMENTS).filter(|more| *more > 0) {
        text.push_str(&format!("  with    {more} more arguments\n"));
    }
    text
}

fn argument(key: &str, value: &str) -> String {
    format!("  with    {}={}\n", one_line(key, NAME), both_ends(&exact(value), VALUE))
}

/// Whether this text of the arguments is shown whole as the target.
fn names(target: &Target, text: &str) -> bool {
    match target {
        Target::Command { command, .. } => command == text,
        Target::Path { given, .. } => given == text && text.chars().count() <= VALUE,
        Target::Other(_) => false,
    }
}
