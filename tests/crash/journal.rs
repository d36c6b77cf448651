//! The journal of a session: whole, and of one mind with what was done.

use std::collections::BTreeMap;
use std::path::Path;

use seam_session::journal::{self, JournalError, Record, Verified};

use super::marks;
use super::script::Script;
use super::tally::{Fault, Kind};

/// How many lines it has.
pub(super) fn lines(session: &Path) -> u64 {
    verified(session, false).unwrap().map_or(0, |verified| verified.lines)
}

/// Each of its lines is as it was written, and none is missing. A process may have died before it had a journal.
pub(super) fn check(session: &Path, power: bool) -> Result<(), Fault> {
    verified(session, power).map(drop)
}

/// After a loss of power, lines at the end may be gone, and it may say so: those that are there are whole.
fn verified(session: &Path, power: bool) -> Result<Option<Verified>, Fault> {
    let verified = match journal::verify(session) {
        Err(JournalError::Absent { .. }) => return Ok(None),
        verified => verified.map_err(|error| Fault::new(Kind::Journal, error))?,
    };
    let is_loss = |fault: &&journal::Fault| fault.line == 0 || fault.what.contains("when it was opened again");
    match verified.faults.iter().find(|fault| !power || !is_loss(fault)) {
        None => Ok(Some(verified)),
        Some(fault) => Err(Fault::new(Kind::Journal, format!("{fault:?}"))),
    }
}

/// It says of every tool that ran that it was to run, and of none twice. Gives how many lines it has.
///
/// What was written after the last entry that is on the disk goes with the power: then it is not asked what ran.
pub(super) fn agrees(session: &Path, project: &Path, scripts: &[Script], power: bool) -> Result<u64, Fault> {
    let Some(verified) = verified(session, power)? else { return Err(Fault::new(Kind::Journal, "there is none")) };
    let runs = runs(session).map_err(|error| Fault::new(Kind::Journal, error))?;
    if let Some((call, _)) = runs.iter().find(|(_, times)| **times > 1) {
        return Err(Fault::new(Kind::Twice, format!("the journal says so of {call}")));
    }
    match marks::left(project, scripts).iter().find(|call| !runs.contains_key(*call)) {
        Some(call) if !power => Err(Fault::new(Kind::Journal, format!("it does not say that {call} was to run"))),
        _ => Ok(verified.lines),
    }
}

/// How often each call was to run that must not run twice.
fn runs(session: &Path) -> Result<BTreeMap<String, usize>, JournalError> {
    let mut runs = BTreeMap::new();
    for line in journal::read(session)? {
        if let (_, Record::Run(run)) = line?
            && run.replay == "never"
        {
            *runs.entry(run.call.into_owned()).or_default() += 1;
        }
    }
    Ok(runs)
}
