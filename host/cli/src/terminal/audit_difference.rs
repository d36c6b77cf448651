//! What plugins gained and lost, as a person reads it.

use seam_plugins::audit::{Access, Difference, Pair, Reach, Rule, Share};
use seam_plugins::{Audit, LoadError};

use crate::terminal::audit_table::{Look, access, by_package, denied, functions, leak, powers, problem, short};
use crate::terminal::audit_text::{Row, section, shown};

/// One block per plugin, with what these rules deny its new file.
pub(crate) fn render(pairs: &[Pair], rules: &[Rule]) -> String {
    let look = Look::of_stdout();
    let blocks: Vec<String> = pairs.iter().map(|pair| block(pair, rules, look)).collect();
    blocks.join("\n")
}

fn block(pair: &Pair, rules: &[Rule], look: Look) -> String {
    let (old, new) = (audit(pair.old.as_ref()), audit(pair.new.as_ref()));
    let difference = pair.difference();
    let mut text = format!("{}  {}\n", look.style.bold(&shown(&pair.name)), verdict(pair, &difference));
    for (which, side) in [("OLD will not load", &pair.old), ("NEW will not load", &pair.new)] {
        let why = side.as_ref().and_then(why_not);
        text.push_str(&why.map(|why| problem(which, &why, look)).unwrap_or_default());
    }
    let forbidden = new.into_iter().flat_map(|new| rules.iter().flat_map(move |rule| rule.denied(new)));
    text.push_str(&denied(forbidden, look));
    text.push_str(&leaks(old, new, look));
    text.push_str(&share(["+ decides", "+ reaches"], &difference.gained, look));
    text.push_str(&share(["- decides", "- reaches"], &difference.lost, look));
    text
}

fn audit(side: Option<&Result<Audit, LoadError>>) -> Option<&Audit> {
    side.and_then(|side| side.as_ref().ok())
}

/// What came of it, in a word.
fn verdict(pair: &Pair, difference: &Difference) -> &'static str {
    match (&pair.old, &pair.new) {
        (_, Some(Err(_))) => "what it gained is not known",
        (None, _) => "gained whole: only in NEW",
        (_, None) => "lost whole: only in OLD",
        (Some(Ok(old)), Some(Ok(new))) if old.digest == new.digest => "the same file",
        _ => match (difference.gained.is_empty() && !pair.leaks_more(), difference.lost.is_empty()) {
            (true, true) => "another file; nothing gained, nothing lost",
            (true, false) => "lost",
            (false, true) => "gained",
            (false, false) => "gained and lost",
        },
    }
}

fn why_not(side: &Result<Audit, LoadError>) -> Option<String> {
    match side {
        Ok(audit) => audit.problem.clone(),
        Err(error) => Some(error.problem.to_string()),
    }
}

/// The answers, when they are not the same.
pub(super) fn leaks(old: Option<&Audit>, new: Option<&Audit>, look: Look) -> String {
    if old.zip(new).is_some_and(|(old, new)| old.leak == new.leak) {
        return String::new();
    }
    let line = |name, audit: Option<&Audit>| audit.map(|audit| leak(name, audit, look));
    let is_more = new.is_some_and(|new| new.leaks_more_than(old));
    [line(if is_more { "+ can leak" } else { "can leak" }, new), line("could leak", old)]
        .into_iter()
        .flatten()
        .collect()
}

pub(super) fn share([decides, reaches]: [&str; 2], share: &Share, look: Look) -> String {
    section(decides, &powers(&share.decides), look.width) + &section(reaches, &rows(&share.reaches), look.width)
}

/// A row for each; but those by which nothing is reached share one.
fn rows(reaches: &[Reach]) -> Vec<Row> {
    let (mut inert, others): (Vec<&Reach>, Vec<&Reach>) =
        reaches.iter().partition(|reach| reach.access == Access::Inert);
    let rows = others.into_iter().map(reach);
    match inert.as_slice() {
        [] | [_] => rows.chain(inert.into_iter().map(reach)).collect(),
        _ => {
            inert.sort_by_key(|reach| &reach.import);
            rows.chain([(access(Access::Inert).to_owned(), by_package(&inert))]).collect()
        }
    }
}

fn reach(reach: &Reach) -> Row {
    let words = if reach.access == Access::Unknown { String::new() } else { format!(": {}", reach.reaches) };
    (short(&reach.import), format!("{}{words} ({})", access(reach.access), functions(reach)))
}
