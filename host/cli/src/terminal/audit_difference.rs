//! What plugins gained and lost, as a person reads it.

use seam_plugins::audit::{Difference, Pair, Rule, Share};
use seam_plugins::{Audit, LoadError};

use crate::terminal::audit_table::{beside, denied, leak, powers, problem, reaches, shown};
use crate::terminal::style::Style;

/// One block per plugin, with what these rules deny its new file.
pub(crate) fn render(pairs: &[Pair], rules: &[Rule]) -> String {
    let style = Style::for_stdout();
    let blocks: Vec<String> = pairs.iter().map(|pair| block(pair, rules, style)).collect();
    blocks.join("\n")
}

fn block(pair: &Pair, rules: &[Rule], style: Style) -> String {
    let (old, new) = (audit(pair.old.as_ref()), audit(pair.new.as_ref()));
    let difference = pair.difference();
    let mut text = format!("{}  {}\n", style.bold(&shown(&pair.name)), verdict(pair, &difference));
    for (which, side) in [("OLD will not load", &pair.old), ("NEW will not load", &pair.new)] {
        let why = side.as_ref().and_then(why_not);
        text.push_str(&why.map(|why| problem(which, &why, style)).unwrap_or_default());
    }
    let forbidden = new.into_iter().flat_map(|new| rules.iter().flat_map(move |rule| rule.denied(new)));
    text.push_str(&denied(forbidden, style));
    text.push_str(&leaks(old, new, style));
    text.push_str(&share(["+ decides", "+ reaches"], &difference.gained));
    text.push_str(&share(["- decides", "- reaches"], &difference.lost));
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
        _ => match (difference.gained.is_empty(), difference.lost.is_empty()) {
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
fn leaks(old: Option<&Audit>, new: Option<&Audit>, style: Style) -> String {
    if old.zip(new).is_some_and(|(old, new)| old.leak == new.leak) {
        return String::new();
    }
    let line = |name, audit: Option<&Audit>| audit.map(|audit| beside(name, vec![leak(audit, style)]));
    [line("can leak", new), line("could leak", old)].into_iter().flatten().collect()
}

fn share([decides, reaches]: [&str; 2], share: &Share) -> String {
    let part = |name, lines: Vec<String>| if lines.is_empty() { String::new() } else { beside(name, lines) };
    part(decides, powers(&share.decides)) + &part(reaches, self::reaches(&share.reaches))
}
