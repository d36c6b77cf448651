//! The audit as a person reads it.

use seam_plugins::audit::{Denied, Grant, Power, Reach, Rule};
use seam_plugins::contract::Timing;
use seam_plugins::{Audit, LoadError};

use crate::terminal::style::{Style, both_ends, one_line};

/// How long what a file says of itself gets, in characters.
const SHOWN: usize = 200;
/// How long the list of what it was made with gets.
const MADE_WITH: usize = 300;

/// One block per plugin, with what these rules deny it.
pub(crate) fn render(audits: &[Result<Audit, LoadError>], rules: &[Rule]) -> String {
    let style = Style::for_stdout();
    let blocks: Vec<String> = audits
        .iter()
        .map(|audit| match audit {
            Ok(audit) => block(audit, rules, style),
            Err(error) => format!(
                "{}\n{}",
                style.bold(&shown(&error.file.display().to_string())),
                problem("will not load", &error.problem.to_string(), style)
            ),
        })
        .collect();
    blocks.join("\n")
}

fn block(audit: &Audit, rules: &[Rule], style: Style) -> String {
    let mut text = format!(
        "{}  {} KB  sha256 {}\n",
        style.bold(&shown(&audit.name)),
        audit.size.div_ceil(1000),
        audit.digest.get(..16).unwrap_or_default()
    );
    if let Some(problem) = &audit.problem {
        text.push_str(&self::problem("will not load", problem, style));
    }
    text.push_str(&denied(rules.iter().flat_map(|rule| rule.denied(audit)), style));
    text.push_str(&beside("can leak", vec![leak(audit, style)]));
    text.push_str(&beside("can decide", powers(&audit.decides)));
    text.push_str(&beside("can reach", reaches(&audit.reaches)));
    if !audit.ignored_exports.is_empty() {
        text.push_str(&beside("not called", audit.ignored_exports.iter().map(|name| shown(name)).collect()));
    }
    text.push_str(&beside("made with", vec![one_line(&audit.made_with.join(", "), MADE_WITH)]));
    text
}

pub(super) fn problem(what: &str, problem: &str, style: Style) -> String {
    format!("  {}\n", style.red(&format!("{what}: {}", shown(problem))))
}

/// What rules deny a plugin; nothing when there is nothing.
pub(super) fn denied(denied: impl Iterator<Item = Denied>, style: Style) -> String {
    let line = |denied: Denied| {
        let has = denied.name.map_or("it can leak".to_owned(), |name| format!("it has `{}`", shown(&name)));
        style.red(&format!("by `{}`: {has}", shown(&denied.rule)))
    };
    let lines: Vec<String> = denied.map(line).collect();
    if lines.is_empty() { String::new() } else { beside("DENIED", lines) }
}

pub(super) fn leak(audit: &Audit, style: Style) -> String {
    let answer = if audit.can_leak { style.yellow("yes:") } else { style.green("no:") };
    format!("{answer} {}", audit.leak)
}

/// What comes from a file: on one line, and not longer than a line or two.
pub(super) fn shown(text: &str) -> String {
    both_ends(&one_line(text, usize::MAX), SHOWN)
}

/// A name, and beside it these lines.
pub(super) fn beside(name: &str, mut lines: Vec<String>) -> String {
    if lines.is_empty() {
        lines.push("nothing".to_owned());
    }
    let named = std::iter::once(name).chain(std::iter::repeat(""));
    lines.iter().zip(named).map(|(line, name)| format!("  {name:<10}  {line}\n")).collect()
}

/// The seams, by when they are asked. The first line says what the columns are.
pub(super) fn powers(powers: &[Power]) -> Vec<String> {
    let mut rows = Vec::new();
    for group in powers.chunk_by(|one, next| one.timing == next.timing) {
        let [sees, can, fails] = if rows.is_empty() { ["sees", "can", "if it fails"] } else { [""; 3] };
        let timing = group.first().map(|power| timing(power.timing)).unwrap_or_default();
        rows.push([timing, sees, can, fails].map(str::to_owned));
        rows.extend(group.iter().map(|power| {
            [format!("  {}", power.seam), power.sees.to_owned(), power.power.to_owned(), power.if_it_fails.to_owned()]
        }));
    }
    aligned(rows)
}

fn timing(timing: Timing) -> &'static str {
    match timing {
        Timing::BeforeRequest => "before the request",
        Timing::BeforeEffect => "before the effect",
        Timing::AfterEffect => "after the effect",
        Timing::Session => "before it happens",
        Timing::Observe => "afterwards",
        Timing::Provide => "when it is used",
    }
}

pub(super) fn reaches(reaches: &[Reach]) -> Vec<String> {
    aligned(reaches.iter().map(reach).collect())
}

fn reach(reach: &Reach) -> [String; 3] {
    let grant = match reach.grant {
        Grant::Always => "always granted",
        Grant::Inert => "reaches nothing",
        Grant::Missing => "NOT GRANTED",
    };
    [short(&reach.import), grant.to_owned(), shown(&reach.reaches)]
}

/// An import of ours by its interface, any other by its full name.
fn short(import: &str) -> String {
    let ours = import.strip_prefix("seam:harness/").map(|name| name.split('@').next().unwrap_or(name));
    shown(ours.unwrap_or(import))
}

/// Rows as lines, each column as wide as its widest cell.
fn aligned<const N: usize>(rows: Vec<[String; N]>) -> Vec<String> {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
