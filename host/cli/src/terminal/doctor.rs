//! What was looked at as a person reads it: a line each, and below what is not as it should be what to do about it.

use crate::commands::doctor::{Check, Mark};
use crate::terminal::audit_table::Look;
use crate::terminal::audit_text::wrapped;

/// How wide the names are at least.
const NAME: usize = 9;
/// How wide the marks are, with the space beside them.
const MARK: usize = 7;

/// All of it, with how many faults there are.
pub(crate) fn render(checks: &[Check]) -> String {
    let look = Look::of_stdout();
    let name = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or_default().max(NAME);
    let lines: String = checks.iter().map(|check| block(check, name, look)).collect();
    format!("{lines}\n{}\n", total(checks))
}

fn block(Check { mark, name, found, remedy }: &Check, column: usize, look: Look) -> String {
    let set = |text: &str| match mark {
        Mark::Ok => look.style.green(text),
        Mark::Note => look.style.yellow(text),
        Mark::Fault => look.style.red(text),
    };
    let word = match mark {
        Mark::Ok => "ok",
        Mark::Note => "note",
        Mark::Fault => "FAULT",
    };
    let indent = MARK + column + 2;
    let beside = |text: &str| wrapped(text, look.width.saturating_sub(indent).max(24));
    let below = format!("\n{:indent$}", "");
    let mut text = format!("{}{:gap$}{name:<column$}  ", set(word), "", gap = MARK - word.len());
    text.push_str(&beside(found).join(&below));
    // Lines to copy stay as they are.
    let (first, lines) = remedy.as_deref().map(|remedy| remedy.split_once('\n').unwrap_or((remedy, ""))).unzip();
    if let Some(first) = first {
        text.push_str(&format!("{below}{}", beside(&format!("→ {first}")).join(&below)));
    }
    lines.unwrap_or_default().lines().for_each(|line| text.push_str(&format!("{below}{line}")));
    text + "\n"
}

fn total(checks: &[Check]) -> String {
    let count = |mark| checks.iter().filter(|check| check.mark == mark).count();
    let number = |count, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let faults = match count(Mark::Fault) {
        0 => "no fault".to_owned(),
        faults => number(faults, "fault"),
    };
    match count(Mark::Note) {
        0 => faults,
        notes => format!("{faults}, {}", number(notes, "note")),
    }
}
