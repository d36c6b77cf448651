//! Runs what a journal recorded again: every call of a plugin, with what it was asked and what the host answered then.
//!
//! A plugin is loaded as for a session, with the same limits, and gets an instance of its own for each instance that
//! served then, so that what a guest remembers from call to call is the same. Nothing else is: what it imports answers
//! from the journal and reaches nothing. What it asks now and did not ask then has no answer, and such a call cannot be
//! compared.

mod compare;
mod link;
mod play;
mod tape;
mod value;

use std::collections::BTreeMap;

use seam_session::journal::{Crossing, Outcome, Record};

use crate::link::Plugin;
use crate::load::LoadProblem;
use play::Player;

pub use compare::{Difference, Kind, Said};
pub(crate) use tape::Tape;

/// A replay under way. It takes the records of a journal in their order.
pub struct Replay {
    players: BTreeMap<String, Player>,
    counts: Counts,
    recorded: BTreeMap<String, Recorded>,
    run: Option<(u64, u64)>,
    /// A plugin has given a key in this run: it is left out of what follows.
    hides: bool,
}

/// What a journal says of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recorded {
    /// The digests of its files, in the order of the journal.
    pub digests: Vec<String>,
    /// The digests of its settings, in the order of the journal.
    pub settings: Vec<String>,
    /// How many of its calls there are.
    pub calls: u64,
}

/// How many calls there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Calls in the journal.
    pub calls: u64,
    /// Calls that ended as they did then.
    pub same: u64,
    /// Calls that ended otherwise, or cannot be compared.
    pub different: u64,
    /// Calls that were given up before they had ended, so that there is nothing to compare with.
    pub given_up: u64,
    /// Calls for a key in which the host was asked something: what it answered there is never recorded.
    pub keys: u64,
    /// Calls of plugins that are not there.
    pub absent: u64,
}

impl Replay {
    /// A replay with these plugins, found by their names.
    ///
    /// # Errors
    /// When one cannot be linked to what was recorded.
    pub fn new(plugins: &[Plugin]) -> Result<Self, LoadProblem> {
        let players = plugins.iter().map(|plugin| Ok((plugin.name().to_owned(), Player::new(plugin)?)));
        let players = players.collect::<Result<_, LoadProblem>>()?;
        Ok(Self { players, counts: Counts::default(), recorded: BTreeMap::new(), run: None, hides: false })
    }

    /// Takes the next record, and runs it if it is a call. Gives what is different now.
    pub async fn take(&mut self, number: u64, record: &Record<'_>) -> Option<Difference> {
        match record {
            Record::Open(open) => {
                let other_run = self.run.is_none_or(|(run, _)| run != open.run);
                self.hides &= !other_run;
                if self.run.replace((open.run, open.segment)) != Some((open.run, open.segment)) {
                    self.players.values_mut().for_each(|player| player.begin(other_run));
                }
                None
            }
            Record::Plugin(plugin) => {
                let recorded = self.recorded.entry(plugin.name.clone().into_owned()).or_default();
                note(&mut recorded.digests, &plugin.digest);
                note(&mut recorded.settings, &plugin.settings);
                None
            }
            Record::Crossing(crossing) => self.crossing(number, crossing).await,
            Record::Rejected(_) | Record::Ruling(_) | Record::Run(_) | Record::Done(_) | Record::Mended(_) => None,
        }
    }

    /// How many calls there were so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The plugins that were recorded so far.
    pub fn recorded(&self) -> &BTreeMap<String, Recorded> {
        &self.recorded
    }

    async fn crossing(&mut self, number: u64, crossing: &Crossing<'_>) -> Option<Difference> {
        let recorded = self.recorded.entry(crossing.plugin.clone().into_owned()).or_default();
        note(&mut recorded.digests, &crossing.digest);
        recorded.calls += 1;
        self.counts.calls += 1;
        self.hides |= matches!(crossing.outcome, Outcome::Withheld(true));
        let Some(player) = self.players.get_mut(&*crossing.plugin) else {
            self.counts.absent += 1;
            return None;
        };
        if matches!(&crossing.outcome, Outcome::Failure { kind, .. } if kind == crate::journal::GIVEN_UP) {
            self.counts.given_up += 1;
            player.forget(crossing.instance);
            return None;
        }
        let now = player.play(crossing, self.hides).await;
        if matches!((&crossing.outcome, &now), (Outcome::Withheld(_), (play::Now::Unknown(_), _))) {
            self.counts.keys += 1;
            return None;
        }
        let difference = compare::compare(number, crossing, now, self.hides);
        match &difference {
            None => self.counts.same += 1,
            Some(_) => self.counts.different += 1,
        }
        difference
    }
}

/// Adds a digest that is not there.
fn note(digests: &mut Vec<String>, digest: &str) {
    if !digests.iter().any(|known| known == digest) {
        digests.push(digest.to_owned());
    }
}
