//! The words of a run: names, and arguments in short.

use std::borrow::Cow;

use seam_loop::{Content, Decider, Decision, Ruling, ToolError, ToolOutput};
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

/// Who was asked and had nothing to say at any seam. Of a call that was given up, only whose gate had said so: another
/// one may have been asked at that time.
pub(super) fn silent(decisions: &[Decision], given_up: bool) -> Vec<Cow<'_, str>> {
    let spoke = |by: &Decider| decisions.iter().any(|other| other.by == *by && other.ruling != Ruling::Proceed);
    let counts = |decision: &&Decision| !spoke(&decision.by) && (!given_up || decision.seam == "tool-call");
    let mut silent: Vec<Cow<'_, str>> = Vec::new();
    for decision in decisions.iter().filter(counts) {
        let name = name(&decision.by);
        if !silent.contains(&name) {
            silent.push(name);
        }
    }
    silent
}

/// Whether the user ended a call on its way.
pub(super) fn is_given_up(result: &ToolOutput) -> bool {
    matches!(result.content.first(), Some(Content::Text { text }) if *text == ToolError::Aborted.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_call_that_was_given_up_only_a_gate_that_was_asked_had_no_objection() {
        let proceeds = |by: &str, seam| Decision { by: Decider::Plugin(by.into()), seam, ruling: Ruling::Proceed };
        let decisions =
            [proceeds("a", "rewrite-tool-call"), proceeds("b", "rewrite-tool-call"), proceeds("b", "tool-call")];
        assert_eq!(silent(&decisions, false), ["a", "b"]);
        assert_eq!(silent(&decisions, true), ["b"]);
        let given_up = ToolOutput::error(ToolError::Aborted.to_string());
        assert!(is_given_up(&given_up) && !is_given_up(&ToolOutput::error("no".to_owned())));
    }
}
