//! The audit as a person reads it: the answer first, then what it comes from, the worst first.

use std::path::Path;

use seam_plugins::audit::{Access, Denied, Leak, Power, Reach, Rule, Seen, Way};
use seam_plugins::contract::{Can, Timing};
use seam_plugins::{Audit, LoadError};

use crate::terminal::audit_text::{Row, paragraph, section, shown, width, wrapped};
use crate::terminal::style::{Style, both_ends, one_line};

/// How long the list of what it was made with gets.
const MADE_WITH: usize = 300;
/// How long a problem gets.
const PROBLEM: usize = 1000;
/// Where its further lines begin.
const INDENT: usize = 6;

/// How a block is set.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) style: Style,
    pub(super) width: usize,
}

impl Look {
    pub(super) fn of_stdout() -> Self {
        Self { style: Style::for_stdout(), width: width() }
    }
}

/// One block per plugin, with what these rules deny it.
pub(crate) fn render(audits: &[Result<Audit, LoadError>], rules: &[Rule]) -> String {
    let look = Look::of_stdout();
    let blocks: Vec<String> = audits
        .iter()
        .map(|audit| match audit {
            Ok(audit) => block(audit, rules, look),
            Err(error) => format!(
                "{}\n{}",
                look.style.bold(&shown(&error.file.display().to_string())),
                problem("will not load", &error.problem.to_string(), look)
            ),
        })
        .collect();
    blocks.join("\n")
}

/// Where grants stand.
pub(crate) fn settings(files: &[&Path]) -> String {
    let files: Vec<String> = files.iter().map(|file| shown(&file.display().to_string())).collect();
    format!("\nGrants are those of {}.\n", files.join(", and over them those of "))
}

fn block(audit: &Audit, rules: &[Rule], look: Look) -> String {
    let mut text = format!(
        "{}  {} KB\n{}",
        look.style.bold(&shown(&audit.name)),
        audit.size.div_ceil(1000),
        paragraph("sha256", &audit.digest, look.width)
    );
    let link = audit.link_to.as_ref().map(|file| paragraph("link to", &shown(&file.display().to_string()), look.width));
    text.push_str(&link.unwrap_or_default());
    if let Some(problem) = &audit.problem {
        text.push_str(&self::problem("will not load", problem, look));
    }
    text.push_str(&denied(rules.iter().flat_map(|rule| rule.denied(audit)), look));
    text.push_str(&leak("can leak", audit, look));
    text.push_str(&part("can decide", &powers(&audit.decides), look));
    text.push_str(&part("can see", &audit.sees.iter().map(seen).collect::<Vec<_>>(), look));
    text.push_str(&part("can send", &audit.sends.iter().map(way).collect::<Vec<_>>(), look));
    text.push_str(&part("imports", &imports(audit), look));
    if !audit.ignored_exports.is_empty() {
        let names: Vec<String> = audit.ignored_exports.iter().map(|name| shown(name)).collect();
        text.push_str(&paragraph("not called", &names.join(", "), look.width));
    }
    if !audit.made_with.is_empty() {
        text.push_str(&paragraph("made with", &one_line(&audit.made_with.join(", "), MADE_WITH), look.width));
    }
    text
}

/// A part of a block; an empty one says that there is nothing.
fn part(name: &str, rows: &[Row], look: Look) -> String {
    match rows {
        [] => paragraph(name, "nothing", look.width),
        rows => section(name, rows, look.width),
    }
}

/// What is wrong. What has to be added to the settings keeps its lines.
pub(super) fn problem(what: &str, problem: &str, look: Look) -> String {
    let (first, lines) = problem.split_once('\n').unwrap_or((problem, ""));
    let first = both_ends(&one_line(&format!("{what}: {first}"), usize::MAX), PROBLEM);
    let first = wrapped(&first, look.width - INDENT).join(&format!("\n{:INDENT$}", ""));
    let lines: String = lines.lines().map(|line| format!("    {}\n", shown(line))).collect();
    format!("  {}\n{lines}", look.style.red(&first))
}

/// What rules deny a plugin; nothing when there is nothing.
pub(super) fn denied(denied: impl Iterator<Item = Denied>, look: Look) -> String {
    let line = |denied: Denied| {
        let has = denied.name.map_or("it can leak".to_owned(), |name| format!("it has `{}`", shown(&name)));
        (String::new(), format!("by `{}`: {has}", shown(&denied.rule)))
    };
    let rows: Vec<Row> = denied.map(line).collect();
    section(&look.style.red("DENIED    "), &rows, look.width)
}

pub(super) fn leak(name: &str, audit: &Audit, look: Look) -> String {
    let answer = match audit.can_leak {
        Leak::Yes => "yes:",
        Leak::IfGranted => "yes, if granted:",
        Leak::Unknown => "not known:",
        Leak::No => "no:",
    };
    let text = paragraph(name, &format!("{answer} {}", shown_whole(&audit.leak)), look.width);
    let coloured = if audit.can_leak == Leak::No { look.style.green(answer) } else { look.style.yellow(answer) };
    text.replacen(answer, &coloured, 1)
}

/// What names a user chose, or a file, on one line. It is not cut: what is left out could be what matters.
fn shown_whole(text: &str) -> String {
    one_line(text, usize::MAX)
}

/// The seams, by when they are asked. Those who only watch share a row.
pub(super) fn powers(powers: &[Power]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for group in powers.chunk_by(|one, next| one.can == Can::Watch && next.can == Can::Watch) {
        match group {
            [Power { seam, timing: when, power, if_it_fails, .. }] => {
                rows.push((seam.clone(), format!("{}: {power}; if it fails, {if_it_fails}", timing(*when))));
            }
            watching => {
                let names: Vec<&str> = watching.iter().map(|power| power.seam.as_str()).collect();
                let text =
                    format!("afterwards: nothing: it watches {}; if one fails, it is reported", names.join(", "));
                rows.push((format!("{} observers", names.len()), text));
            }
        }
    }
    rows
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

fn seen(seen: &Seen) -> Row {
    (seen.by.clone(), if_granted(seen.if_granted, &seen.what))
}

fn way(way: &Way) -> Row {
    match way.by.as_slice() {
        [one] => (one.clone(), if_granted(way.if_granted, &way.what)),
        several => ("its answers".to_owned(), format!("{} (at {})", way.what, several.join(", "))),
    }
}

fn if_granted(if_granted: bool, what: &str) -> String {
    shown_whole(&format!("{}{what}", if if_granted { "IF GRANTED: " } else { "" }))
}

/// The imports, by how the plugin comes to them.
fn imports(audit: &Audit) -> Vec<Row> {
    let mut reaches: Vec<&Reach> = audit.reaches.iter().collect();
    reaches.sort_by_key(|reach| reach.access);
    let groups = reaches.chunk_by(|one, next| one.access == next.access);
    let mut rows: Vec<Row> =
        groups.filter_map(|group| Some((access(group.first()?.access).to_owned(), names(group)))).collect();
    if !audit.unused_grants.is_empty() {
        let grants: Vec<String> = audit.unused_grants.iter().map(|grant| format!("`{grant}`")).collect();
        rows.push(("granted, not used".to_owned(), format!("{}: it imports nothing for it", grants.join(", "))));
    }
    if let Some(digest) = &audit.grants_for {
        let text = format!("its grants in the settings are for a file with the SHA-256 {}", shown(digest));
        rows.push(("another file".to_owned(), text));
    }
    rows
}

pub(super) fn access(access: Access) -> &'static str {
    match access {
        Access::Unknown => "NOT KNOWN",
        Access::Missing => "NOT GRANTED",
        Access::Granted => "granted",
        Access::Always => "always there",
        Access::Inert => "reaches nothing",
    }
}

fn names(group: &[&Reach]) -> String {
    let inert = group.first().is_some_and(|reach| reach.access == Access::Inert);
    if inert { by_package(group) } else { group.iter().map(|reach| named(reach)).collect::<Vec<_>>().join(", ") }
}

/// An import, and what more there is to say of it.
fn named(reach: &Reach) -> String {
    let name = short(&reach.import);
    match (reach.access, reach.grant) {
        (Access::Unknown, _) if reach.functions.as_slice() != [reach.import.as_str()] => {
            format!("{name} ({})", functions(reach))
        }
        (Access::Missing | Access::Granted, Some(grant)) if grant.key() != name => format!("{name} (`{grant}`)"),
        _ => name,
    }
}

/// The functions that the plugin names of an import.
pub(super) fn functions(reach: &Reach) -> String {
    shown(&reach.functions.join(", "))
}

/// Imports of WASI: each package once, with its interfaces.
pub(super) fn by_package(group: &[&Reach]) -> String {
    let parts = |reach: &&Reach| {
        let path = reach.import.split('@').next().unwrap_or_default().to_owned();
        path.split_once('/')
            .map(|(package, interface)| (package.to_owned(), interface.to_owned()))
            .unwrap_or((path, String::new()))
    };
    let all: Vec<(String, String)> = group.iter().map(parts).collect();
    let packages = all.chunk_by(|(one, _), (next, _)| one == next).map(|interfaces| {
        let package = interfaces.first().map(|(package, _)| package.as_str()).unwrap_or_default();
        let names: Vec<&str> = interfaces.iter().map(|(_, interface)| interface.as_str()).collect();
        format!("{package} ({})", names.join(", "))
    });
    packages.collect::<Vec<_>>().join(", ")
}

/// An import of ours by its interface, any other by its full name.
pub(super) fn short(import: &str) -> String {
    let ours = import.strip_prefix("seam:harness/").map(|name| name.split('@').next().unwrap_or(name));
    shown(ours.unwrap_or(import))
}
