//! Whether a plugin can send what it sees to a place of its choice, in words.
//!
//! Words for the model are no way out: what the model does with them passes every gate. Nor are words for the user, or
//! what is kept in the session's file.

use serde::Serialize;

use super::reach::{Access, Reach};
use super::ways::{Seen, To, Way};
use crate::contract::Sight;

/// How many of the things it sees are named.
const NAMED: usize = 3;

/// Whether it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leak {
    /// It can.
    Yes,
    /// It could, with a grant that it does not load without.
    IfGranted,
    /// It has an import that is not known here. It does not load.
    Unknown,
    /// It cannot.
    No,
}

/// What the answer comes from.
pub(super) struct Parts<'a> {
    /// Whether it is asked anything at all.
    pub(super) asked: bool,
    pub(super) sees: &'a [Seen],
    pub(super) sends: &'a [Way],
    pub(super) reaches: &'a [Reach],
}

/// Whether it can, and why or why not.
pub(super) fn leak(parts: &Parts<'_>) -> (Leak, String) {
    if !parts.asked {
        return (Leak::No, "it is never asked anything".to_owned());
    }
    let sees = |if_granted| named(parts.sees.iter().filter(|seen| if_granted || !seen.if_granted));
    let [now, granted] = [false, true].map(|if_granted| places(parts.sends, if_granted));
    let unknown = parts.reaches.iter().find(|reach| reach.access == Access::Unknown);
    let now = leaks(now.as_deref(), &sees(false), parts.sends);
    match (now, granted, unknown) {
        (Some(now), None, _) => (Leak::Yes, now),
        (Some(now), Some(granted), _) => (Leak::Yes, format!("{now}; and if granted, also {granted}")),
        (None, Some(granted), _) => (Leak::IfGranted, format!("{}, {granted}", sees(true))),
        (None, None, Some(reach)) => {
            (Leak::Unknown, format!("it sees {}, and what `{}` reaches is not known here", sees(true), reach.import))
        }
        (None, None, None) => (Leak::No, format!("it sees {}, but {}", sees(true), no_way(parts.sends))),
    }
}

/// The places that what it sees can be sent to, with the grants it has or with those it lacks.
fn places(sends: &[Way], if_granted: bool) -> Option<String> {
    let ways = sends.iter().filter(|way| way.leaks && way.to != To::Account && way.if_granted == if_granted);
    let places: Vec<&str> = ways.map(|way| way.place.as_str()).collect();
    (!places.is_empty()).then(|| places.join("; "))
}

/// What leaks, and where to. By a key it leaks what it need not see.
fn leaks(places: Option<&str>, sees: &str, sends: &[Way]) -> Option<String> {
    let sent = places.map(|places| format!("{sees}, {places}"));
    let by_key = sends.iter().filter(|way| way.to == To::Account).map(|way| way.place.clone());
    let clauses: Vec<String> = sent.into_iter().chain(by_key).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Why what it sends is no way out.
fn no_way(sends: &[Way]) -> &'static str {
    let goes = |to| sends.iter().any(|way| way.to == to);
    match (goes(To::Model), goes(To::User), goes(To::Session)) {
        (true, ..) => "has no way out of its own; the model reads its words and may act on them",
        (_, true, true) => "has no way out; its words reach only you and the session's file",
        (_, true, false) => "has no way out; its words reach only you",
        (_, false, true) => "has no way out; its words reach only the session's file",
        (_, false, false) => "has no way out and says nothing",
    }
}

/// The most telling of what it sees. It is in that order.
fn named<'a>(sees: impl Iterator<Item = &'a Seen>) -> String {
    let mut named: Vec<&str> = Vec::new();
    let mut most = None;
    for Seen { what, sight, .. } in sees {
        let counts = *sight != Sight::Signs || *most.get_or_insert(*sight) == Sight::Signs;
        most.get_or_insert(*sight);
        if counts && !named.iter().any(|other| other.contains(what.as_str())) {
            named.push(what);
        }
    }
    if named.len() > NAMED {
        named.truncate(NAMED);
        named.push("and more");
    }
    named.join(", ")
}

/// Whether more of what counts is seen than otherwise, or goes to more places. What would have to be granted is no more
/// than what is.
pub(super) fn is_more([sees, other_sees]: [&[Seen]; 2], [sends, other_sends]: [&[Way]; 2]) -> bool {
    let is_seen = |seen: &Seen| {
        other_sees.iter().any(|other| match (other.if_granted, seen.if_granted) {
            _ if other.by != seen.by => false,
            (true, false) => false,
            (false, true) => true,
            _ => has_names(&other.what, &seen.what),
        })
    };
    let is_sent = |way: &Way| {
        other_sends.iter().filter(|other| other.leaks).any(|other| match (other.if_granted, way.if_granted) {
            _ if !way.by.iter().all(|by| other.by.contains(by)) => false,
            (true, false) => false,
            (false, true) => true,
            _ => other.to == way.to && has_names(&other.place, &way.place),
        })
    };
    sees.iter().any(|seen| seen.sight != Sight::Signs && !is_seen(seen))
        || sends.iter().any(|way| way.leaks && !is_sent(way))
}

/// Whether a text names all that another one names.
fn has_names(text: &str, other: &str) -> bool {
    let names = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let there = names(text);
    names(other).iter().all(|name| there.contains(name))
}

#[cfg(test)]
mod tests;
