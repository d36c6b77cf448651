//! Whether a plugin can send what it sees to a place of its choice, in words.
//!
//! What it sees are the events of its exports and, when it imports it, the conversation. No import is a way out today;
//! three kinds of answers are. Words for the model are none: what the model does with them passes every gate.

use crate::contract::{Out, REACHES, SeamFacts, Sight};

/// How many of the things it sees are named.
const NAMED: usize = 3;

/// The ways out.
const WAYS: [(Out, &str); 3] = [
    (
        Out::Arguments,
        "write that into a call's arguments, so into a command that sends it: every gate sees them, and each rewrite is \
         shown",
    ),
    (Out::Requests, "write that into requests, which go to a provider you set up"),
    (Out::Key, "have requests made with a key of its choice, whose owner may read them at the provider"),
];

/// What a plugin exports and imports, as far as it matters here.
pub(super) struct Parts<'a> {
    /// The seams it exports, in the table's order.
    pub(super) seams: &'a [&'static SeamFacts],
    /// Our interfaces it imports.
    pub(super) imports: &'a [&'a str],
}

/// Whether it can, and why or why not.
pub(super) fn leak(parts: &Parts<'_>) -> (bool, String) {
    if parts.seams.is_empty() {
        return (false, "it is never asked anything".to_owned());
    }
    let goes = |out: Out| parts.seams.iter().any(|seam| seam.out == out);
    let sees = sees(parts);
    let ways: Vec<&str> = WAYS.into_iter().filter(|(out, _)| goes(*out)).map(|(_, way)| way).collect();
    match ways.as_slice() {
        [] if goes(Out::Model) => (
            false,
            format!("it sees {sees}, but has no way out of its own; the model reads its words and may act on them"),
        ),
        [] if goes(Out::User) || parts.imports.contains(&"log") => {
            (false, format!("it sees {sees}, but has no way out; its words reach only you"))
        }
        [] => (false, format!("it sees {sees}, but has no way out and says nothing")),
        ways => (true, format!("it sees {sees}, and can {}", ways.join("; and "))),
    }
}

/// The most telling of what it sees.
fn sees(parts: &Parts<'_>) -> String {
    let conversation =
        REACHES.iter().filter(|reach| reach.name == "conversation" && parts.imports.contains(&reach.name));
    let conversation = conversation.map(|reach| (Sight::All, reach.reaches));
    let mut all: Vec<(Sight, &str)> = parts.seams.iter().map(|seam| (seam.sight, seam.sees)).collect();
    all.splice(0..0, conversation);
    all.sort_by_key(|(sight, _)| *sight);
    let mut named: Vec<&str> = Vec::new();
    let most = all.first().map_or(Sight::Signs, |(sight, _)| *sight);
    for (sight, sees) in all {
        let counts = sight != Sight::Signs || most == Sight::Signs;
        if counts && !named.iter().any(|other| other.contains(sees)) {
            named.push(sees);
        }
    }
    if named.len() > NAMED {
        named.truncate(NAMED);
        named.push("and more");
    }
    named.join(", ")
}

#[cfg(test)]
mod tests;
