//! What the journal knows of calls that have no result.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use seam_session::journal::{self, JournalError, Record};
use serde_json::{Map, Value};

use crate::stored::Interrupted;

/// What stands in the place of a secret.
const SECRET: &str = "[secret]";

/// A call that began, is not over as far as is known, and may be made twice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intent {
    pub(crate) tool: String,
    /// Exactly what the tool got.
    pub(crate) arguments: Map<String, Value>,
}

/// What the journal knows of the calls of one message. Without a journal it knows nothing.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// The calls that began and may be made twice.
    intents: HashMap<String, Intent>,
    /// The calls that began.
    began: HashSet<String>,
    /// The journal is whole, and was kept when these calls were made.
    is_sure: bool,
}

impl Past {
    /// Of the calls with these ids.
    pub(crate) fn of(session_file: &Path, calls: &[&str]) -> Self {
        let mut past = Self::default();
        match past.read(session_file, calls) {
            Ok(is_sure) => past.is_sure = is_sure,
            Err(JournalError::Absent { .. }) => {}
            Err(error) => {
                tracing::warn!("what the journal knows of interrupted calls is not used: {error}");
                past = Self::default();
            }
        }
        past
    }

    /// The call, if it may be made again as far as the journal is concerned.
    pub(crate) fn intent(&self, call: &str) -> Option<&Intent> {
        self.intents.get(call)
    }

    pub(crate) fn what_is_known(&self, call: &str) -> Interrupted {
        match self.is_sure && !self.began.contains(call) {
            true => Interrupted::NotRun,
            false => Interrupted::Unknown,
        }
    }

    /// Gives whether a call that is not mentioned did not begin: the journal knows of the message, and misses nothing.
    fn read(&mut self, session_file: &Path, calls: &[&str]) -> Result<bool, JournalError> {
        let mut knows_of_them = false;
        for line in journal::read(session_file)? {
            let (_, record) = line?;
            let Some(call) = of_call(&record).filter(|call| calls.contains(call)).map(str::to_owned) else { continue };
            knows_of_them = true;
            match record {
                Record::Run(run) => {
                    let is_safe = run.replay == "safe";
                    let intent = is_safe.then(|| intent(&run.tool, run.arguments.text())).flatten();
                    self.began.insert(call.clone());
                    self.intents.extend(intent.map(|intent| (call, intent)));
                }
                Record::Done(_) => drop(self.intents.remove(&call)),
                _ => {}
            }
        }
        let verified = journal::verify(session_file)?;
        Ok(knows_of_them && verified.faults.is_empty() && verified.dropped == 0)
    }
}

/// The call that a record is about.
fn of_call<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    match record {
        Record::Crossing(crossing) => crossing.call.as_deref(),
        Record::Ruling(ruling) => Some(&ruling.call),
        Record::Run(run) => Some(&run.call),
        Record::Done(done) => Some(&done.call),
        Record::Open(_) | Record::Plugin(_) | Record::Mended(_) => None,
    }
}

/// What was to run. Nothing if the journal does not have it whole.
fn intent(tool: &str, arguments: &str) -> Option<Intent> {
    if arguments.contains(SECRET) {
        return None;
    }
    let arguments = serde_json::from_str(arguments).ok()?;
    Some(Intent { tool: tool.to_owned(), arguments })
}
