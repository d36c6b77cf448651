//! The words of a run: names, and arguments in short.

use std::borrow::Cow;

use seam_loop::{Decider, Decision, Ruling};
use serde_json::Value;

use crate::terminal::style::one_line;

/// How long the name of a tool or a plugin gets, in characters.
pub(super) const NAME: usize = 60;
/// The arguments that say what a call is about. They come first.
const TELLING: [&str; 3] = ["path", "command", "pattern"];

/// Who decided, as it is shown.
pub(super) fn name(by: &Decider) -> Cow<'_, str> {
    match by {
        Decider::Host => "host".into(),
        Decider::User => "you".into(),
        Decider::Plugin(name) => one_line(name, NAME).into(),
    }
}

/// Who was asked and had nothing to say at any seam.
pub(super) fn silent(decisions: &[Decision]) -> Vec<Cow<'_, str>> {
    let spoke = |by: &Decider| decisions.iter().any(|other| other.by == *by && other.ruling != Ruling::Proceed);
    let mut silent: Vec<Cow<'_, str>> = Vec::new();
    for decision in decisions.iter().filter(|decision| !spoke(&decision.by)) {
        let name = name(&decision.by);
        if !silent.contains(&name) {
            silent.push(name);
        }
    }
    silent
}

/// Whether the call did not run because of it.
pub(super) fn is_refusal(decision: &Decision) -> bool {
    match &decision.ruling {
        Ruling::Block { .. } => true,
        Ruling::Failure { refused, .. } => *refused && decision.seam != "tool-result",
        _ => false,
    }
}

/// Arguments as a person reads them: what says what it is about plain and first, the rest as JSON.
pub(in crate::terminal) fn short_arguments(args: &Value, most: usize) -> String {
    let Value::Object(map) = args else { return one_line(&args.to_string(), most) };
    let (told, other): (Vec<_>, Vec<_>) =
        map.iter().partition(|(key, value)| TELLING.contains(&key.as_str()) && value.is_string());
    let told = TELLING.iter().filter_map(|telling| told.iter().find(|(key, _)| key == telling)?.1.as_str());
    let other = other.iter().map(|(key, value)| format!("{key}={value}"));
    one_line(&told.map(str::to_owned).chain(other).collect::<Vec<_>>().join("  "), most)
}
