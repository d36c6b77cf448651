//! The audit as a person reads it.

use seam_plugins::audit::{Grant, Power, Reach};
use seam_plugins::contract::Timing;
use seam_plugins::{Audit, LoadError};

use crate::terminal::style::{Style, both_ends, one_line};

/// How wide the longest name of a seam is.
const SEAM: usize = "before-provider-request".len();

/// How long what a file says of itself gets, in characters.
const SHOWN: usize = 200;
/// How long the list of what it was made with gets.
const MADE_WITH: usize = 300;

/// One block per plugin.
pub(crate) fn render(audits: &[Result<Audit, LoadError>]) -> String {
    let style = Style::for_stdout();
    let blocks: Vec<String> = audits
        .iter()
        .map(|audit| match audit {
            Ok(audit) => block(audit, style),
            Err(error) => format!(
                "{}\n{}",
                style.bold(&shown(&error.file.display().to_string())),
                problem(&error.problem.to_string(), style)
            ),
        })
        .collect();
    blocks.join("\n")
}

fn block(audit: &Audit, style: Style) -> String {
    let mut text = format!(
        "{}  {} KB  sha256 {}\n",
        style.bold(&shown(&audit.name)),
        audit.size.div_ceil(1000),
        audit.digest.get(..16).unwrap_or_default()
    );
    if let Some(problem) = &audit.problem {
        text.push_str(&self::problem(problem, style));
    }
    let leak = if audit.can_leak { style.yellow("yes:") } else { style.green("no:") };
    text.push_str(&format!("  can leak    {leak} {}\n", audit.leak));
    text.push_str(&column("can decide", audit.decides.iter().map(power)));
    let width = audit.reaches.iter().map(|reach| short(&reach.import).chars().count()).max().unwrap_or(0).max(SEAM);
    text.push_str(&column("can reach", audit.reaches.iter().map(|entry| reach(entry, width))));
    text.push_str(&column("not called", audit.ignored_exports.iter().map(|name| shown(name))));
    text.push_str(&column("made with", std::iter::once(one_line(&audit.made_with.join(", "), MADE_WITH))));
    text
}

fn problem(problem: &str, style: Style) -> String {
    format!("  {}\n", style.red(&format!("will not load: {}", shown(problem))))
}

/// What comes from a file: on one line, and not longer than a line or two.
fn shown(text: &str) -> String {
    both_ends(&one_line(text, usize::MAX), SHOWN)
}

/// A name, and beside it one line for each entry.
fn column(name: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() && name == "not called" {
        return String::new();
    }
    let entries = if entries.is_empty() { vec!["nothing".to_owned()] } else { entries };
    let lines = entries.iter().enumerate().map(|(line, entry)| {
        let name = if line == 0 { name } else { "" };
        format!("  {name:<10}  {entry}\n")
    });
    lines.collect()
}

fn power(power: &Power) -> String {
    let timing = match power.timing {
        Timing::BeforeRequest => "before the request",
        Timing::BeforeEffect => "before the effect",
        Timing::AfterEffect => "after the effect",
        Timing::Session => "before it happens",
        Timing::Observe => "afterwards",
        Timing::Provide => "when it is used",
    };
    format!("{:<SEAM$}  {timing:<18}  {}", power.seam, power.power)
}

fn reach(reach: &Reach, width: usize) -> String {
    let grant = match reach.grant {
        Grant::Always => "always granted",
        Grant::Inert => "reaches nothing",
        Grant::Missing => "NOT GRANTED",
    };
    format!("{:<width$}  {grant:<18}  {}", short(&reach.import), shown(&reach.reaches))
}

/// An import of ours by its interface, any other by its full name.
fn short(import: &str) -> String {
    let ours = import.strip_prefix("seam:harness/").map(|name| name.split('@').next().unwrap_or(name));
    shown(ours.unwrap_or(import))
}
