//! What a plugin said then beside what it says now.

use seam_session::journal::{Crossing, Json, Outcome};
use serde::Serialize;

use crate::replay::play::Now;

/// What stands in a journal where a secret was.
const SECRET: &str = "[secret]";

/// Why a call cannot be compared of which something stands there no more than by its length.
pub(super) const LEFT_OUT: &str = "the plugin had filled its share of the journal, so this was left out of it";

/// A call that ends otherwise than it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The number of the line in the journal.
    pub number: u64,
    /// In which way.
    pub kind: Kind,
    /// The plugin.
    pub plugin: String,
    /// The seam.
    pub seam: String,
    /// The function of the seam.
    pub function: String,
    /// Whether the plugin changed nothing then.
    pub shadow: bool,
    /// The id of the tool call that it was asked about.
    pub call: Option<String>,
    /// What it was asked.
    pub input: Json<'static>,
    /// How it ended then.
    pub then: Said,
    /// How it ends now.
    pub now: Said,
    /// Whether the instance remembers what it did then. It does not when a call of it before could not be made again.
    pub sure: bool,
}

/// In which way a call ends otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It let something pass, and refuses it now.
    NowRefused,
    /// It refused something, and lets it pass now.
    NowAllowed,
    /// It says something else.
    Changed,
    /// It gave an answer, and fails now.
    FailedNow,
    /// It failed, and gives an answer now.
    FailedThen,
    /// It cannot be said how it would end.
    NotComparable,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// With this answer.
    Answer(Json<'static>),
    /// With a key, or without one. Which is nobody's business.
    Key(bool),
    /// With a failure: which, and what is said of it.
    Failure(String, String),
    /// The plugin has no part in that seam.
    NotAsked,
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// What is different in how a call ends, if anything is. `sure`: the instance remembers what it did then. `hides`: a key
/// was left out of what was recorded.
pub(super) fn compare(
    number: u64,
    crossing: &Crossing<'_>,
    (now, sure): (Now, bool),
    hides: bool,
) -> Option<Difference> {
    let then = then(&crossing.outcome);
    let now = said(now, matches!(then, Said::Key(_)));
    let kind = differs(&then, &now)?;
    let (kind, now) = match hidden(crossing).filter(|_| hides) {
        Some(reason) => (Kind::NotComparable, Said::Unknown(reason.to_owned())),
        None => (kind, now),
    };
    Some(Difference {
        number,
        kind,
        plugin: crossing.plugin.clone().into_owned(),
        seam: crossing.seam.clone().into_owned(),
        function: crossing.function.clone().into_owned(),
        shadow: crossing.shadow,
        call: crossing.call.as_deref().map(str::to_owned),
        input: crossing.input.clone().into_owned(),
        then,
        now,
        sure,
    })
}

/// Why a call that ends otherwise cannot be compared, though it was made again: the journal has not all that was said.
fn hidden(crossing: &Crossing<'_>) -> Option<&'static str> {
    if heard_secret(crossing) {
        return Some("what it was asked held a secret, which is not recorded");
    }
    let said_one = match &crossing.outcome {
        Outcome::Answer(answer) => answer.text().contains(SECRET),
        Outcome::Withheld(_) | Outcome::Failure { .. } => false,
    };
    said_one.then_some("what it said then held a secret, which is not recorded")
}

/// Whether the plugin was told a secret that the journal does not have.
pub(super) fn heard_secret(crossing: &Crossing<'_>) -> bool {
    let answers = crossing.host.iter().map(|call| &call.answer);
    std::iter::once(&crossing.input).chain(answers).any(|told| told.text().contains(SECRET))
}

fn then(outcome: &Outcome<'_>) -> Said {
    match outcome {
        Outcome::Answer(answer) if answer.is_left_out() => Said::Unknown(LEFT_OUT.to_owned()),
        Outcome::Answer(answer) => Said::Answer(answer.clone().into_owned()),
        Outcome::Withheld(key) => Said::Key(*key),
        Outcome::Failure { kind, text } => Said::Failure(kind.clone().into_owned(), text.clone().into_owned()),
    }
}

fn said(now: Now, is_secret: bool) -> Said {
    match now {
        Now::Answer(answer) if is_secret => Said::Key(answer.starts_with('{')),
        Now::Answer(answer) => Said::Answer(Json::new(answer)),
        Now::Failure(failure) => Said::Failure(failure.kind().to_owned(), failure.to_string()),
        Now::NotAsked => Said::NotAsked,
        Now::Unknown(reason) => Said::Unknown(reason),
    }
}

fn differs(then: &Said, now: &Said) -> Option<Kind> {
    match (then, now) {
        (_, Said::Unknown(_)) | (Said::Unknown(_), _) => Some(Kind::NotComparable),
        // Limits may be others now: which of them was reached is what counts.
        (Said::Failure(then, _), Said::Failure(now, _)) => (then != now).then_some(Kind::Changed),
        (_, Said::Failure(..)) => Some(Kind::FailedNow),
        (Said::Failure(..), _) => Some(Kind::FailedThen),
        (then, now) if then == now || (*now == Said::NotAsked && passes(then)) => None,
        (then, now) if refuses(then) && passes(now) => Some(Kind::NowAllowed),
        (then, now) if !refuses(then) && refuses(now) => Some(Kind::NowRefused),
        _ => Some(Kind::Changed),
    }
}

/// Whether it stops something.
fn refuses(said: &Said) -> bool {
    matches!(said, Said::Answer(answer) if matches!(case(answer.text()), "block" | "withhold" | "cancel"))
}

/// Whether it leaves everything as it is.
fn passes(said: &Said) -> bool {
    match said {
        Said::Answer(answer) => matches!(answer.text(), "null" | "[]" | "\"pass\"" | "\"proceed\"" | "\"keep\""),
        Said::NotAsked | Said::Key(false) => true,
        Said::Key(true) | Said::Failure(..) | Said::Unknown(_) => false,
    }
}

/// The name of a case.
fn case(answer: &str) -> &str {
    let name = answer.strip_prefix('{').unwrap_or(answer).strip_prefix('"').unwrap_or_default();
    name.split_once('"').map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Said {
        Said::Answer(Json::new(text.to_owned()))
    }

    fn failure(kind: &str, text: &str) -> Said {
        Said::Failure(kind.to_owned(), text.to_owned())
    }

    #[test]
    fn every_pair_of_endings_has_its_kind() {
        let block = answer(r#"{"block":{"reason":"no","terminate":false}}"#);
        let (ask, proceed) = (answer(r#"{"ask":"may it?"}"#), answer("\"proceed\""));
        let crash = failure("crash", "it crashed (x)");
        let unknown = Said::Unknown("y".to_owned());
        for (then, now, kind) in [
            (&block, &proceed, Some(Kind::NowAllowed)),
            (&block, &Said::NotAsked, Some(Kind::NowAllowed)),
            (&block, &ask, Some(Kind::Changed)),
            (&block, &answer(r#"{"block":{"reason":"never","terminate":false}}"#), Some(Kind::Changed)),
            (&proceed, &block, Some(Kind::NowRefused)),
            (&ask, &block, Some(Kind::NowRefused)),
            (&answer("\"keep\""), &answer(r#"{"withhold":"x"}"#), Some(Kind::NowRefused)),
            (&answer(r#"{"cancel":"x"}"#), &proceed, Some(Kind::NowAllowed)),
            (&ask, &proceed, Some(Kind::Changed)),
            (&answer(r#"{"change":[]}"#), &answer("\"keep\""), Some(Kind::Changed)),
            (&proceed, &proceed, None),
            (&proceed, &Said::NotAsked, None),
            (&answer("null"), &Said::NotAsked, None),
            (&answer(r#"{"replace":"x"}"#), &Said::NotAsked, Some(Kind::Changed)),
            (&block, &crash, Some(Kind::FailedNow)),
            (&crash, &block, Some(Kind::FailedThen)),
            (&crash, &failure("crash", "it crashed (z)"), None),
            (&failure("time-limit", "250 ms"), &failure("time-limit", "100 ms"), None),
            (&crash, &failure("time-limit", "100 ms"), Some(Kind::Changed)),
            (&Said::Key(true), &Said::Key(false), Some(Kind::Changed)),
            (&Said::Key(true), &Said::Key(true), None),
            (&proceed, &unknown, Some(Kind::NotComparable)),
        ] {
            assert_eq!(differs(then, now), kind, "{then:?} {now:?}");
        }
    }
}
