//! What a plugin's answer at a seam comes to, in words. An answer is JSON in the names of the contract.

use serde_json::Value;

use crate::terminal::style::both_ends;

/// How long the words of somebody get, in characters.
const WORDS: usize = 2000;

/// What kind of thing happened. The page gives each a shape, a sign and a colour of its own. The order is that of weight:
/// where several stand at one place, the lightest number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// It stopped something.
    Refused,
    /// It gave no answer.
    Failed,
    /// The user has to say.
    Asked,
    /// It changed something.
    Changed,
    /// Something was done: a tool ran.
    Ran,
    /// Somebody said something.
    Said,
    /// It had nothing to say.
    Passed,
    /// It only watches.
    Watched,
}

/// An answer in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// What kind of answer it is.
    pub(crate) class: Class,
    /// The answer.
    pub(crate) words: String,
}

impl Verdict {
    pub(crate) fn new(class: Class, words: impl Into<String>) -> Self {
        Self { class, words: words.into() }
    }

    /// What became of a plugin that gave no answer.
    pub(crate) fn failure(kind: &str, text: &str) -> Self {
        Self::new(Class::Failed, format!("failed ({kind}): {}", both_ends(text, WORDS)))
    }

    /// An answer that stands in no journal.
    pub(crate) fn withheld(was_given: bool) -> Self {
        if was_given { Self::new(Class::Changed, "gave a key; it is recorded nowhere") } else { passed() }
    }

    /// The answer of a function of a seam.
    pub(crate) fn of(seam: &str, function: &str, answer: &Value) -> Self {
        match (seam, function, answer) {
            (_, "observe", _) => Self::new(Class::Watched, "saw it"),
            ("tools" | "commands", "list-tools" | "list-commands", Value::Array(offered)) => {
                Self::new(Class::Ran, format!("offers {}", counted(offered.len(), seam.trim_end_matches('s'), seam)))
            }
            ("tools" | "commands", ..) => provided(answer),
            (_, _, Value::String(case)) => plain(case),
            (_, _, Value::Array(changes)) => changed(changes),
            (_, _, Value::Object(cases)) => {
                cases.iter().next().map_or_else(passed, |(case, value)| chosen(case, value))
            }
            _ => passed(),
        }
    }
}

fn passed() -> Verdict {
    Verdict::new(Class::Passed, "nothing to say")
}

/// A case that carries nothing.
fn plain(case: &str) -> Verdict {
    match case {
        "proceed" => Verdict::new(Class::Passed, "no objection"),
        "keep" | "pass" => passed(),
        "end" => Verdict::new(Class::Changed, "ended the run"),
        "continue" => Verdict::new(Class::Changed, "kept the run going"),
        other => Verdict::new(Class::Changed, short(other)),
    }
}

/// A case with what it carries.
fn chosen(case: &str, value: &Value) -> Verdict {
    let said = || short(value.as_str().unwrap_or_default());
    match case {
        "block" => Verdict::new(Class::Refused, format!("refused: {}", reason(value))),
        "cancel" => Verdict::new(Class::Refused, format!("cancelled it: {}", said())),
        "withhold" => Verdict::new(Class::Refused, format!("withheld the result: {}", said())),
        "ask" => Verdict::new(Class::Asked, format!("asked: {}", said())),
        "arguments" => Verdict::new(Class::Changed, format!("rewrote the arguments: {}", said())),
        "handled" => Verdict::new(Class::Changed, "answered it itself"),
        "replace" => Verdict::new(Class::Changed, "put something else in its place"),
        "patch" => Verdict::new(Class::Changed, "patched it"),
        "summary" => Verdict::new(Class::Changed, "gave the summary"),
        "change" => changed(value.as_array().map(Vec::as_slice).unwrap_or_default()),
        other => Verdict::new(Class::Changed, short(other)),
    }
}

fn reason(refusal: &Value) -> String {
    let text = short(refusal.get("reason").and_then(Value::as_str).unwrap_or_default());
    let ends = refusal.get("terminate").and_then(Value::as_bool).unwrap_or_default();
    if ends { format!("{text} (and the run should end)") } else { text }
}

/// A list of changes: what each is about, and nothing of what it holds.
fn changed(changes: &[Value]) -> Verdict {
    if changes.is_empty() {
        return passed();
    }
    let name = |change: &Value| match change {
        Value::String(case) => Some(short(case)),
        Value::Object(cases) => cases.keys().next().map(|case| short(case)),
        _ => None,
    };
    let mut names: Vec<String> = changes.iter().filter_map(name).collect();
    names.sort_unstable();
    let kinds = names.chunk_by(PartialEq::eq).filter_map(|kind| match kind {
        [one] => Some(one.clone()),
        [first, ..] => Some(format!("{first} ×{}", kind.len())),
        [] => None,
    });
    Verdict::new(Class::Changed, format!("changed: {}", kinds.collect::<Vec<_>>().join(", ")))
}

/// What a plugin's own tool or command gave.
fn provided(answer: &Value) -> Verdict {
    let failed = answer.get("failed").or_else(|| answer.get("err")?.get("failed")).and_then(Value::as_str);
    match failed {
        Some(reason) => Verdict::new(Class::Ran, format!("did what it offers, in vain: {}", short(reason))),
        None => Verdict::new(Class::Ran, "did what it offers"),
    }
}

fn short(text: &str) -> String {
    both_ends(text, WORDS)
}

/// A number of things, such as `1 call`, `3 calls`.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    let noun = if count == 1 { one } else { several };
    format!("{count} {noun}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(seam: &str, function: &str, answer: Value) -> (Class, String) {
        let verdict = Verdict::of(seam, function, &answer);
        (verdict.class, verdict.words)
    }

    #[test]
    fn what_is_decided_is_told_apart() {
        let block = json!({ "block": { "reason": "no", "terminate": true } });
        assert_eq!(
            words("tool-call", "decide", block),
            (Class::Refused, "refused: no (and the run should end)".to_owned())
        );
        assert_eq!(words("tool-call", "decide", json!("proceed")), (Class::Passed, "no objection".to_owned()));
        assert_eq!(words("tool-call", "decide", json!({ "ask": "Sure?" })), (Class::Asked, "asked: Sure?".to_owned()));
        assert_eq!(words("agent-end", "observe", Value::Null), (Class::Watched, "saw it".to_owned()));
        assert_eq!(words("finish-turn", "finish", json!("end")), (Class::Changed, "ended the run".to_owned()));
    }

    /// A result may hold a secret that the plugin took out: only what it changed is told, not into what.
    #[test]
    fn of_a_change_only_the_name_is_told() {
        let change = json!({ "change": [{ "content": [{ "text": "x" }] }, "clear-details", { "content": [] }] });
        assert_eq!(
            words("tool-result", "review", change),
            (Class::Changed, "changed: clear-details, content ×2".to_owned())
        );
        assert_eq!(words("transform-context", "transform", json!([])), (Class::Passed, "nothing to say".to_owned()));
    }

    #[test]
    fn an_answer_of_no_known_shape_is_no_pass() {
        assert_eq!(words("later", "decide", json!({ "new": 1 })), (Class::Changed, "new".to_owned()));
        assert_eq!(words("tools", "list-tools", json!([{}])), (Class::Ran, "offers 1 tool".to_owned()));
    }
}
