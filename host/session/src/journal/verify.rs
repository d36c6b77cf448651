//! Checks the chain of a journal. One line is in memory at a time, and the hashes of one segment's long values.

mod chain;

use std::path::Path;

use crate::journal::JournalError;
use crate::journal::files::Files;
use crate::journal::head;
use crate::journal::read::{segments, session};
use crate::journal::verify::chain::Check;

/// So many faults are told one by one.
const TOLD: usize = 100;

/// What was found in a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many lines it has.
    pub lines: u64,
    /// How many lines went with the oldest segments, when the journal became too long.
    pub dropped: u64,
    /// How many entries the session had already when the journal began. Either it is a fork, none was kept before, or an
    /// earlier one was removed.
    pub entries: u64,
    /// How many files it has.
    pub segments: u64,
    /// How many times it was opened.
    pub runs: u64,
    /// How long the half line at its end is, which a process left that was killed. The next one that writes cuts it off.
    pub torn: u64,
    /// What is not as it was written, at most 100 of it.
    pub faults: Vec<Fault>,
    /// How many more there are.
    pub more: u64,
}

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, by its name.
    pub file: String,
    /// The line in it, from 1; 0 when it is about the file.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// Checks the journal of a session.
///
/// # Errors
///
/// When there is none, or it cannot be read. What is wrong with it is no error, but in what comes back.
pub fn verify(session_file: &Path) -> Result<Verified, JournalError> {
    let files = Files::of(session_file);
    // In this order: a head that is written meanwhile is of a later line.
    let head = head::read(&files)?;
    let segments = segments(&files)?;
    if segments.is_empty() && head == head::Found::Absent {
        return Err(JournalError::Absent { path: files.current().to_owned() });
    }
    let mut check = Check::new(head, session(session_file));
    for segment in segments {
        check.segment(segment)?;
    }
    check.end(head, &files);
    Ok(check.found)
}
