//! What a session file says, compared line by line with the scripts that were played.

use std::collections::BTreeSet;
use std::path::Path;

use seam_session::{Problem, Session};

use super::said::Said;
use super::script::Script;
use super::tally::{Fault, Kind};

/// The beginning of what a call gets whose process died, when nobody knows whether it ran.
const UNKNOWN: &str = "Interrupted, outcome unknown: ";
/// The same, when it did not run.
const NOT_RUN: &str = "Interrupted before it was run: ";

/// What was said, as it is stored.
#[derive(Default)]
pub(super) struct History {
    pub(super) said: Vec<Said>,
    /// The calls that were asked for.
    pub(super) asked: BTreeSet<String>,
    /// The calls without a result.
    pub(super) open: Vec<String>,
    /// The calls with the result of their tool.
    pub(super) done: BTreeSet<String>,
    /// The calls whose result says that they were not made, or that nobody knows.
    pub(super) undone: Vec<Said>,
    /// Whether the file ends in half a line.
    pub(super) torn: bool,
}

impl History {
    /// Reads a session of these runs, in their order.
    pub(super) fn read(file: &Path, scripts: &[Script]) -> Result<Self, Fault> {
        let session = Session::read(file).map_err(|error| Fault::new(Kind::Half, error))?;
        let mut history = Self::default();
        for notice in session.notices() {
            match notice.problem {
                Problem::Torn { .. } => history.torn = true,
                // The line is all there: its end is not.
                Problem::NoLineEnd => {}
                _ => return Err(Fault::new(Kind::Half, notice)),
            }
        }
        let context = session.context().map_err(|error| Fault::new(Kind::Half, error))?;
        let mut reader = Reader { scripts, played: 0, expected: Vec::new(), history };
        for message in &context.messages {
            reader.take(Said::of(message))?;
        }
        Ok(reader.history)
    }

    /// Whether the model is told that a call did not run.
    pub(super) fn says_not_run(&self, call: &str) -> bool {
        self.undone.iter().any(|said| said.call == call && said.text.starts_with(NOT_RUN))
    }

    /// Whether these are what was stored after the first so many.
    pub(super) fn has(&self, before: usize, acknowledged: &[Said]) -> Result<(), Fault> {
        let stored = self.said.get(before..).unwrap_or_default();
        if stored.starts_with(acknowledged) {
            return Ok(());
        }
        let missing = acknowledged.iter().enumerate().find(|(at, said)| stored.get(*at) != Some(said));
        Err(Fault::new(Kind::Lost, format!("not stored though it was told: {missing:?}")))
    }
}

struct Reader<'a> {
    scripts: &'a [Script],
    /// How many of the scripts have begun.
    played: usize,
    /// What is still to come of the last one, in reverse.
    expected: Vec<Said>,
    history: History,
}

impl Reader<'_> {
    fn take(&mut self, said: Said) -> Result<(), Fault> {
        match &*said.role {
            "toolResult" => self.result(&said)?,
            _ if !self.history.open.is_empty() => {
                let text = format!("{said:?} follows calls without results: {:?}", self.history.open);
                return Err(Fault::new(Kind::Order, text));
            }
            "user" => self.begin(&said)?,
            _ => self.answer(&said)?,
        }
        self.history.said.push(said);
        Ok(())
    }

    /// A run begins with its prompt.
    fn begin(&mut self, said: &Said) -> Result<(), Fault> {
        let later = self.scripts.iter().enumerate().skip(self.played);
        let script = later.clone().find(|(_, script)| script.prompt() == said.text);
        let (at, script) = script.ok_or_else(|| Fault::new(Kind::Doubled, format!("{said:?}")))?;
        self.played = at + 1;
        self.expected = script.said().split_off(1);
        self.expected.reverse();
        Ok(())
    }

    /// The model says what is next in its script. The results before it have come.
    fn answer(&mut self, said: &Said) -> Result<(), Fault> {
        while self.expected.pop_if(|expected| expected.role == "toolResult").is_some() {}
        if self.expected.pop().as_ref() != Some(said) {
            return Err(Fault::new(Kind::Doubled, format!("not the model's next words: {said:?}")));
        }
        let ids = said.asked.iter().map(|(id, _)| id.clone());
        self.history.open = ids.clone().collect();
        self.history.asked.extend(ids);
        Ok(())
    }

    /// A call that waits for it gets a result.
    fn result(&mut self, said: &Said) -> Result<(), Fault> {
        let open = self.history.open.iter().position(|id| *id == said.call);
        let Some(open) = open else {
            let kind = if self.history.asked.contains(&said.call) { Kind::Doubled } else { Kind::Order };
            return Err(Fault::new(kind, format!("no call waits for {said:?}")));
        };
        self.history.open.remove(open);
        let gives = self.scripts.iter().flat_map(Script::all_calls).find(|call| call.id == said.call);
        if gives.is_some_and(|call| call.gives == said.text) {
            self.history.done.insert(said.call.clone());
        } else {
            self.history.undone.push(said.clone());
        }
        Ok(())
    }
}

/// After a kill nothing but this stands in the place of a result.
pub(super) fn only_interrupted(history: &History) -> Result<(), Fault> {
    let is_told = |said: &&Said| [UNKNOWN, NOT_RUN].iter().any(|text| said.text.starts_with(text));
    match history.undone.iter().find(|said| !is_told(said)) {
        None => Ok(()),
        Some(said) => Err(Fault::new(Kind::Half, format!("no result of its tool: {said:?}"))),
    }
}
