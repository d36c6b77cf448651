//! What came of many rounds, counted.

use std::collections::BTreeMap;
use std::fmt;

/// What must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An entry that was told of, or the result of a tool that says it is done, is not there.
    Lost,
    /// An entry is there that nobody wrote like this.
    Half,
    /// An entry is there twice, or out of turn.
    Doubled,
    /// A result without its call, or a call that was left without its result.
    Order,
    /// A tool ran twice for one call.
    Twice,
    /// A tool ran though its call is not stored.
    Unrecorded,
    /// A tool ran, and the model is told that it did not.
    Untrue,
    /// The journal is not whole, or not what was done.
    Journal,
    /// The session does not go on.
    Stuck,
}

/// Something that must not be, and what it is.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(kind: Kind, what: impl fmt::Display) -> Self {
        Self { kind, what: what.to_string() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?}: {}", self.kind, self.what)
    }
}

/// Where a run was when it died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    BeforeFirstEntry,
    InTurn,
    BetweenCallAndResult,
    After,
}

/// The sums of all rounds.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) rounds: u64,
    pub(super) died: BTreeMap<Stage, u64>,
    /// How many of the deaths were a loss of power.
    pub(super) power: u64,
    /// How many left half a line at the end of the session file.
    pub(super) torn: u64,
    /// How many calls were interrupted, of which nobody knows whether they ran.
    pub(super) interrupted: usize,
    pub(super) acknowledged: usize,
    pub(super) calls: usize,
    pub(super) lines: u64,
    pub(super) faults: BTreeMap<Kind, u64>,
    /// What happened in rounds that went wrong, and where it can be looked at.
    pub(super) told: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let died = |stage| self.died.get(&stage).copied().unwrap_or_default();
        let faults = |kind| self.faults.get(&kind).copied().unwrap_or_default();
        let mut row = |name: &str, number: u64| writeln!(to, "{name:<66}{number:>8}");
        row("rounds", self.rounds)?;
        row("runs that died", self.died.values().sum::<u64>() - died(Stage::After))?;
        row("  before the first entry", died(Stage::BeforeFirstEntry))?;
        row("  in a turn", died(Stage::InTurn))?;
        row("  between a call and its result", died(Stage::BetweenCallAndResult))?;
        row("  of these by a loss of power", self.power)?;
        row("  leaving half a line", self.torn)?;
        row("runs that were over before they could die", died(Stage::After))?;
        row("entries acknowledged", self.acknowledged as u64)?;
        row("calls of tools made", self.calls as u64)?;
        row("calls interrupted", self.interrupted as u64)?;
        row("lines of journals verified", self.lines)?;
        row("entries lost", faults(Kind::Lost))?;
        row("entries half read", faults(Kind::Half))?;
        row("entries doubled", faults(Kind::Doubled))?;
        row("results without their call, calls left without a result", faults(Kind::Order))?;
        row("tools run twice", faults(Kind::Twice))?;
        row("tools run for a call that is not stored", faults(Kind::Unrecorded))?;
        row("tools run of which it is said that they did not", faults(Kind::Untrue))?;
        row("journals broken", faults(Kind::Journal))?;
        row("sessions that do not go on", faults(Kind::Stuck))
    }
}

impl Tally {
    /// Adds what came of one round.
    pub(super) fn add(&mut self, round: &Self) {
        let Self { rounds, died, power, torn, interrupted, acknowledged, calls, lines, .. } = round;
        self.rounds += rounds;
        self.power += power;
        self.torn += torn;
        self.interrupted += interrupted;
        self.acknowledged += acknowledged;
        self.calls += calls;
        self.lines += lines;
        for (stage, count) in died {
            *self.died.entry(*stage).or_default() += count;
        }
    }
}
