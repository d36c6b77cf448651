//! What the journal knows of calls that have no result.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use seam_loop::message::RequestedCall;
use seam_session::journal::{self, JournalError, Record, Run};
use serde_json::{Map, Value};

use crate::stored::Interrupted;

/// What stands in the place of a secret.
const SECRET: &str = "[secret]";

/// Exactly what a tool got.
pub(crate) type Arguments = Map<String, Value>;

/// What the journal knows of the calls of one message. Without a journal it knows nothing.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// The calls that began, are not over as far as is known, and may be made twice.
    intents: HashMap<String, Arguments>,
    /// The calls that began.
    began: HashSet<String>,
    /// The journal is whole, was kept when these calls were made, and then misses none that began.
    is_sure: bool,
}

impl Past {
    /// Of these calls, which stand in a message that was stored at this time, in milliseconds since 1970.
    pub(crate) fn of(session_file: &Path, calls: &[&RequestedCall], stored: i64) -> Self {
        match Self::read(session_file, calls, stored) {
            Ok(past) => past,
            Err(JournalError::Absent { .. }) => Self::default(),
            Err(error) => {
                tracing::warn!("what the journal knows of interrupted calls is not used: {error}");
                Self::default()
            }
        }
    }

    /// What the tool of the call got, if it may be made again as far as the journal is concerned.
    pub(crate) fn intent(&self, call: &str) -> Option<&Arguments> {
        self.intents.get(call)
    }

    pub(crate) fn what_is_known(&self, call: &str) -> Interrupted {
        match self.is_sure && !self.began.contains(call) {
            true => Interrupted::NotRun,
            false => Interrupted::Unknown,
        }
    }

    /// What was written before the message was stored is about another call, whatever its id. For what is said of a call
    /// that it did not run, it counts all the same: a clock may have been set back.
    fn read(session_file: &Path, calls: &[&RequestedCall], stored: i64) -> Result<Self, JournalError> {
        let mut past = Self::default();
        let (mut keeps_intents, mut knows_of_them, mut has_kept_all) = (false, false, true);
        for line in journal::read(session_file)? {
            let (line, record) = line?;
            if let Record::Open(open) = &record {
                keeps_intents = open.durability.as_deref() == Some(journal::EACH_ENTRY);
            }
            let Some(id) = of_call(&record) else { continue };
            let Some(call) = calls.iter().find(|call| call.id == id) else { continue };
            let is_about_it = line.time >= stored;
            if is_about_it {
                knows_of_them = true;
                has_kept_all &= keeps_intents;
            }
            match record {
                Record::Run(run) => past.begins(call, &run, is_about_it),
                Record::Done(_) => drop(past.intents.remove(&call.id)),
                _ => {}
            }
        }
        let verified = journal::verify(session_file)?;
        let is_whole = verified.faults.is_empty();
        if !is_whole {
            // What was to run may not be what is said.
            past.intents.clear();
        }
        past.is_sure = knows_of_them && has_kept_all && is_whole && verified.dropped == 0;
        Ok(past)
    }

    fn begins(&mut self, call: &RequestedCall, run: &Run<'_>, is_about_it: bool) {
        self.began.insert(call.id.clone());
        let may_be = is_about_it && run.replay == "safe" && run.tool == call.name;
        let arguments = may_be.then(|| arguments(run.arguments.text())).flatten();
        // The last time counts.
        self.intents.remove(&call.id);
        self.intents.extend(arguments.map(|arguments| (call.id.clone(), arguments)));
    }
}

/// The call that a record is about.
fn of_call<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    match record {
        Record::Crossing(crossing) => crossing.call.as_deref(),
        Record::Rejected(rejected) => rejected.call.as_deref(),
        Record::Ruling(ruling) => Some(&ruling.call),
        Record::Run(run) => Some(&run.call),
        Record::Done(done) => Some(&done.call),
        Record::Open(_) | Record::Plugin(_) | Record::Mended(_) => None,
    }
}

/// What the tool was to get. Nothing if the journal does not have it whole.
fn arguments(text: &str) -> Option<Arguments> {
    if text.contains(SECRET) { None } else { serde_json::from_str(text).ok() }
}
