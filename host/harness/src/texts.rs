//! What the model and the user read about decisions and failures.

use std::sync::Arc;

use seam_loop::InvalidArguments;
use serde_json::Value;

use crate::failure::{Failure, Refused};

/// The longest text of a plugin that reaches the model, in bytes.
const LONGEST: usize = 4096;

/// The longest detail of a failure, in bytes.
pub(crate) const DETAIL: usize = 300;

/// The longest arguments that are shown again to the model, in bytes.
const ARGUMENTS: usize = 8192;

/// What is said of a call that the journal does not take.
pub(crate) const NOT_RECORDED: &str =
    "It could not be written into the journal, and what cannot be recorded is not decided: the run ends.";

/// A plugin's words, bounded and without control characters (line ends stay).
pub(crate) fn clean(text: &str) -> String {
    short(text, LONGEST)
}

/// A text of at most so many bytes, without control characters (line ends stay).
pub(crate) fn short(text: &str, most: usize) -> String {
    let kept = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let mut short: String = kept.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    if kept.len() < text.len() {
        short.truncate(short.floor_char_boundary(most - '…'.len_utf8()));
        short.push('…');
    }
    short
}

pub(crate) fn blocked(plugin: &str, reason: &str) -> String {
    match reason.is_empty() {
        true => format!("Blocked by plugin `{plugin}`, which gave no reason. The tool did not run."),
        false => format!("Blocked by plugin `{plugin}`: {}", set_in(reason)),
    }
}

/// A plugin's words behind a label of the host. Lines of theirs are set in, so that none looks like another label.
fn set_in(words: &str) -> String {
    words.replace('\n', "\n  ")
}

pub(crate) fn failed_before(refused: &Refused) -> String {
    format!(
        "Not run: {refused}. What a plugin could not check is refused; this is a failure, not a decision about the \
         call."
    )
}

pub(crate) fn failed_after(refused: &Refused) -> String {
    format!("The tool ran, but its result is withheld: {refused}. This is a failure, not a decision about the result.")
}

pub(crate) fn failed_on_update(failure: &Failure, refused: bool) -> String {
    match refused {
        true => format!("{failure} on a live update, and no more of them were shown"),
        false => format!("{failure} on a live update"),
    }
}

pub(crate) fn not_sent(refused: &Refused) -> String {
    format!(
        "No request was sent: {refused}. What a plugin could not check is refused; this is a failure, not a decision. \
         To go on without this plugin, set `on-failure = \"skip\"` for it."
    )
}

pub(crate) fn run_ended(refused: &Refused) -> String {
    format!("The run ended: {refused}. This plugin was set to refuse; this is a failure, not a decision.")
}

pub(crate) fn not_heard(refused: &Refused) -> String {
    format!("Nothing was sent: {refused}. This plugin was set to refuse; this is a failure, not a decision.")
}

/// `kinds`: of the messages, `PLUGIN/KIND` each.
pub(crate) fn postponed(kinds: &[String], turns: u32) -> String {
    let mut plugins: Vec<&str> = kinds.iter().map(|kind| kind.split('/').next().unwrap_or(kind)).collect();
    plugins.sort_unstable();
    plugins.dedup();
    let named: Vec<String> = plugins.iter().map(|plugin| format!("`{plugin}`")).collect();
    format!(
        "the run was kept going for {turns} turns in a row in which no tool was called: what {} still had to say in it \
         waits for your next prompt",
        named.join(", ")
    )
}

pub(crate) fn withheld(plugin: &str, reason: &str) -> String {
    format!("The tool ran, but its result is withheld by plugin `{plugin}`: {}", set_in(reason))
}

/// `plugins`: who changed it, as far as that is known.
pub(crate) fn rewritten(plugins: &[Arc<str>], arguments: &str) -> String {
    let names: Vec<String> = plugins.iter().map(|name| format!("`{name}`")).collect();
    let by = if names.is_empty() { String::new() } else { format!(" by plugin {}", names.join(", ")) };
    let arguments = short(arguments, ARGUMENTS);
    format!("[Changed before it ran{by}. The tool got these arguments: {arguments}]")
}

pub(crate) fn nobody_to_ask(questions: &[(Arc<str>, String)]) -> String {
    let asked = questions.iter().map(|(plugin, question)| format!("`{plugin}`: {}", set_in(question)));
    let asked: Vec<String> = asked.collect();
    format!("Not run: it needs the user's word and there is no user to ask. {}", asked.join(" "))
}

pub(crate) fn invalid(tool: &str, faults: &InvalidArguments, received: &Value) -> String {
    let shown = faults.faults.iter().take(50).map(|fault| format!("  - {}", short(fault, 2 * DETAIL)));
    let lines: Vec<String> = shown.collect();
    let received = short(&serde_json::to_string_pretty(received).unwrap_or_default(), ARGUMENTS);
    format!("Validation failed for tool \"{tool}\":\n{}\n\nReceived arguments:\n{received}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_plugin_looks_like_a_label_of_the_host() {
        assert_eq!(
            blocked("a", "no\nBlocked by plugin `b`: no"),
            "Blocked by plugin `a`: no\n  Blocked by plugin `b`: no"
        );
    }

    #[test]
    fn a_plugins_words_are_bounded_and_clean() {
        assert_eq!(clean("a\u{1b}[31mb\r\n\0c"), "a[31mb\nc");
        let long = clean(&"ä".repeat(4096));
        assert_eq!((long.len(), long.chars().last()), (4095, Some('…')));
    }
}
