//! What a replay found, as a person reads it.

use std::collections::BTreeMap;

use seam_plugins::Plugin;
use seam_plugins::replay::{Counts, Difference, Kind, Recorded, Replay, Said};
use serde_json::{Map, Value};

use crate::terminal::events::words::short_arguments;
use crate::terminal::style::{Style, one_line};

/// How long what was said gets, in characters.
const SAID: usize = 200;
/// How much of what both said alike is shown before what differs, in characters.
const ALIKE: usize = 40;
/// How long a name and the arguments of a call get, in characters.
const NAME: usize = 60;
const ARGUMENTS: usize = 110;
/// How much of a digest is shown.
const DIGEST: usize = 12;

/// A call that ends otherwise, as a block of lines.
pub(crate) fn difference(found: &Difference, style: Style) -> String {
    let kind = style.bold(&coloured(found.kind, style));
    let shadow = if found.shadow { " (a shadow then)" } else { "" };
    let (seam, plugin) = (one_line(&found.seam, NAME), one_line(&found.plugin, NAME));
    let mut text = format!("{kind}  {plugin} at {seam}{shadow}, line {}\n", found.number);
    if let Some(call) = about(found) {
        text.push_str(&format!("  call  {call}\n"));
    }
    let (then, now) = shown(&said(&found.then), &said(&found.now));
    text.push_str(&format!("  then  {then}\n  now   {now}\n"));
    if !found.sure && found.kind != Kind::NotComparable {
        text.push_str(
            "  but   an earlier call of the same instance could not be made just as it was: it may remember something else\n",
        );
    }
    text.push('\n');
    text
}

/// The last lines: which plugins are others than then, and how many calls there were.
pub(crate) fn summary(replay: &Replay, plugins: &[Plugin], kinds: &BTreeMap<Kind, u64>, style: Style) -> String {
    let mut text = String::new();
    for (name, recorded) in replay.recorded() {
        let now = plugins.iter().find(|plugin| plugin.name() == name);
        for note in notes(recorded, now) {
            text.push_str(&format!("{}\n", style.yellow(&format!("plugin `{}`: {note}", one_line(name, NAME)))));
        }
    }
    let Counts { calls, same, different, given_up, keys, absent } = replay.counts();
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {}", word(*kind))).collect();
    let calls = if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    text.push_str(&format!("{calls}: {same} as then, {different} different"));
    if !kinds.is_empty() {
        text.push_str(&format!(" ({})", kinds.join(", ")));
    }
    let others = [
        (given_up, "given up then"),
        (keys, "for a key, of which not all is recorded"),
        (absent, "of plugins that are not there"),
    ];
    for (count, what) in others {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text.push('\n');
    text
}

/// In which way a plugin is another than then.
fn notes(recorded: &Recorded, now: Option<&Plugin>) -> Vec<String> {
    let Some(now) = now else { return vec!["it is not there, and was not asked".to_owned()] };
    let digest = now.digest().to_string();
    let other = |then: &[String], now: &str| (then != [now]).then(|| short(then).join(", "));
    let mut notes = Vec::new();
    if let Some(then) = other(&recorded.digests, &digest) {
        notes.push(format!("another file than then ({} now, {then} then)", short(&[digest]).join("")));
    }
    if !recorded.settings.is_empty() && other(&recorded.settings, now.settings_digest()).is_some() {
        notes.push("other settings than then".to_owned());
    }
    notes
}

fn short(digests: &[String]) -> Vec<String> {
    digests.iter().map(|digest| digest.chars().take(DIGEST).collect()).collect()
}

fn coloured(kind: Kind, style: Style) -> String {
    let word = word(kind);
    match kind {
        Kind::NowRefused | Kind::FailedNow => style.red(word),
        Kind::NowAllowed | Kind::Changed | Kind::FailedThen => style.yellow(word),
        Kind::NotComparable => style.dim(word),
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::NowRefused => "now refused",
        Kind::NowAllowed => "now allowed",
        Kind::Changed => "changed",
        Kind::FailedNow => "failed now",
        Kind::FailedThen => "failed then",
        Kind::NotComparable => "not comparable",
    }
}

/// The tool call that it was asked about.
fn about(found: &Difference) -> Option<String> {
    let input = found.input.value().ok()?;
    let event = input.get(0)?;
    let call = event.get("call").unwrap_or(event);
    let tool = call.get("tool")?.as_str()?;
    let arguments = call.get("arguments").and_then(Value::as_str).unwrap_or_default();
    let arguments = serde_json::from_str(arguments).map(|value| short_arguments(&value, ARGUMENTS)).unwrap_or_default();
    let id = found.call.as_deref().map(|id| format!("  ({})", one_line(id, NAME))).unwrap_or_default();
    Some(format!("{} {arguments}{id}", one_line(tool, NAME)))
}

fn said(said: &Said) -> String {
    match said {
        Said::Answer(answer) => answer.value().map_or_else(|_| answer.text().to_owned(), |value| plain(&value)),
        Said::Key(true) => "a key".to_owned(),
        Said::Key(false) => "no key".to_owned(),
        Said::Failure(_, text) => format!("failed: {text}"),
        Said::NotAsked => "it has no part in this seam".to_owned(),
        Said::Unknown(reason) => format!("not known: {reason}"),
    }
}

/// An answer without the marks that JSON needs: a case is a word before what it holds.
fn plain(answer: &Value) -> String {
    match answer {
        Value::String(case) => case.clone(),
        Value::Null => "nothing".to_owned(),
        Value::Array(list) if list.is_empty() => "nothing".to_owned(),
        Value::Object(case) if case.len() == 1 => match case.iter().next() {
            Some((name, Value::String(text))) => format!("{name}: {text}"),
            Some((name, Value::Object(held))) => format!("{name}: {}", reasoned(held)),
            Some((name, held)) => format!("{name}: {held}"),
            None => String::new(),
        },
        other => other.to_string(),
    }
}

/// What a case holds; a reason is all there is to say of a refusal, unless it ends the run.
fn reasoned(held: &Map<String, Value>) -> String {
    match (held.get("reason"), held.get("terminate")) {
        (Some(Value::String(reason)), Some(Value::Bool(true))) => format!("{reason} (and the run ends)"),
        (Some(Value::String(reason)), _) => reason.clone(),
        _ => Value::Object(held.clone()).to_string(),
    }
}

/// Both on one line each, from where they begin to differ.
fn shown(then: &str, now: &str) -> (String, String) {
    let alike = then.chars().zip(now.chars()).take_while(|(then, now)| then == now).count();
    let from = alike.saturating_sub(ALIKE);
    let cut = |text: &str| {
        let rest: String = text.chars().skip(from).collect();
        let start = if from > 0 { "…" } else { "" };
        format!("{start}{}", one_line(&rest, SAID))
    };
    (cut(then), cut(now))
}
