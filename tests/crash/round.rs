//! One session that dies and goes on, and all that has to hold of it.

use std::fs;
use std::time::Duration;

use super::bed::Bed;
use super::chance::Chance;
use super::history::{self, History};
use super::ran::{End, Ran};
use super::script::Script;
use super::tally::{Fault, Kind, Stage, Tally};
use super::{journal, marks};

/// How many turns the first run of a round has, and each later one.
pub(super) const TURNS: [usize; 2] = [6, 2];

/// How long a run of each number of turns is.
#[derive(Clone, Copy)]
pub(super) struct Length {
    time: Duration,
    bytes: u64,
    /// Calls on the files of the session.
    calls: u64,
}

impl Length {
    /// What a run that is not disturbed comes to.
    pub(super) fn of(turns: usize) -> Self {
        let (bed, script) = (Bed::new("entry"), Script::new("whole", turns));
        let ran = Ran::new(&bed, &script, None, &End::Itself);
        assert_eq!(ran.code, Some(0), "{}", ran.told);
        let file = bed.session().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(ran.acknowledged, script.said());
        // Each entry is written and synced, the journal is synced before it, and each line of the journal is written.
        let calls = 3 * text.lines().count() as u64 + journal::lines(&file);
        Self { time: ran.took, bytes: text.len() as u64, calls }
    }
}

/// One session: runs that die, and one that ends well.
pub(super) struct Round {
    pub(super) bed: Bed,
    durability: &'static str,
    scripts: Vec<Script>,
    pub(super) tally: Tally,
}

impl Round {
    pub(super) fn new(durability: &'static str) -> Self {
        Self { bed: Bed::new(durability), durability, scripts: Vec::new(), tally: Tally::default() }
    }

    /// Plays it to its end, or to the first thing that must not be.
    pub(super) fn play(&mut self, chance: &mut Chance, lengths: [Length; 2]) -> Result<(), Fault> {
        self.tally.rounds = 1;
        let mut run = 0;
        while run == 0 || (run < 3 && chance.below(3) == 0) {
            let number = usize::from(run > 0);
            let end = self.end(chance, lengths[number]);
            self.disturbed(Script::new(format!("run{run}"), TURNS[number]), &end)?;
            run += 1;
        }
        self.undisturbed(Script::new("last", TURNS[1]))
    }

    /// When and how the next run dies.
    fn end(&self, chance: &mut Chance, length: Length) -> End {
        let micros = length.time.as_micros() as u64;
        let deeds = ["kill", "kill-half", "kill-after", "power", "power-half"];
        // What is not synced entry by entry may be lost with the power.
        let deeds = if self.durability == "entry" { &deeds[..] } else { &deeds[..3] };
        match chance.below(4) {
            0 => End::After(Duration::from_micros(chance.below(micros))),
            1 => End::Bytes(chance.below(length.bytes)),
            _ => {
                let (number, deed) = (1 + chance.below(length.calls), deeds[chance.below(deeds.len() as u64) as usize]);
                End::Fault { call: "any", number, deed, part: "" }
            }
        }
    }

    fn history(&self) -> Result<History, Fault> {
        self.bed.session().map_or_else(|| Ok(History::default()), |file| History::read(&file, &self.scripts))
    }

    fn disturbed(&mut self, script: Script, end: &End) -> Result<(), Fault> {
        let before = self.history()?.said.len();
        let session = self.bed.session();
        self.scripts.push(script.clone());
        let ran = Ran::new(&self.bed, &script, session.as_deref(), end);
        let power = matches!(end, End::Fault { deed: "power" | "power-half", .. });
        if ran.code.is_some_and(|code| code != 0) {
            return Err(Fault::new(Kind::Stuck, format!("{end:?}: {:?} {}", ran.code, ran.told)));
        }
        let after = self.history()?;
        let told = |fault: Fault| Fault { what: format!("{end:?}: {}", fault.what), ..fault };
        after.has(before, &ran.acknowledged).map_err(told)?;
        history::only_interrupted(&after).map_err(told)?;
        let stage = match (ran.code, after.said.len()) {
            (Some(_), _) => Stage::After,
            (None, stored) if stored == before => Stage::BeforeFirstEntry,
            (None, _) if after.open.is_empty() => Stage::InTurn,
            (None, _) => Stage::BetweenCallAndResult,
        };
        *self.tally.died.entry(stage).or_default() += 1;
        self.tally.power += u64::from(power && ran.code.is_none());
        if let Some(file) = self.bed.session() {
            journal::check(&file, self.tally.power > 0).map_err(told)?;
        }
        self.tally.torn += u64::from(after.torn);
        self.tally.acknowledged += ran.acknowledged.len();
        Ok(())
    }

    /// The session goes on as if nothing had been, and all that is in it is true.
    fn undisturbed(&mut self, script: Script) -> Result<(), Fault> {
        let (before, session) = (self.history()?.said.len(), self.bed.session());
        self.scripts.push(script.clone());
        let ran = Ran::new(&self.bed, &script, session.as_deref(), &End::Itself);
        if ran.code != Some(0) {
            return Err(Fault::new(Kind::Stuck, format!("{:?} {}", ran.code, ran.told)));
        }
        let history = self.history()?;
        history.has(before, &ran.acknowledged)?;
        history::only_interrupted(&history)?;
        if !history.said.ends_with(&script.said()) || history.torn {
            return Err(Fault::new(Kind::Stuck, format!("it did not end as it should: {:?}", history.said.last())));
        }
        marks::check(&self.bed.project(), &self.scripts, &history)?;
        self.tally.acknowledged += ran.acknowledged.len();
        self.tally.calls = history.done.len();
        self.tally.interrupted = history.undone.len();
        let file = self.bed.session().unwrap();
        self.tally.lines = journal::agrees(&file, &self.bed.project(), &self.scripts, self.tally.power > 0)?;
        Ok(())
    }
}
