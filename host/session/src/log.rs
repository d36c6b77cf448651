//! A session that is written: one writer at a time, under a lock.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use crate::index::Ready;
use crate::line::Reader;
use crate::lines::{MAX_LINE, Place};
use crate::new_entry::Fields;
use crate::notice::Notice;
use crate::tail::{Tail, TailError};
use crate::{
    BranchSummary, Compaction, Durability, Header, NewEntry, NewSession, Session, SessionError, file, ids, load, torn,
};

#[cfg(test)]
mod tests;

/// A session file that is open for writing.
///
/// An entry is in memory once it is in the file: a call that failed has changed neither, unless it says that the session
/// takes no more entries.
#[derive(Debug)]
pub struct SessionLog {
    session: Session,
    tail: Tail,
    /// The file was made by us.
    is_new: bool,
}

impl SessionLog {
    /// Makes a new file. Its folder has to be there.
    ///
    /// # Errors
    ///
    /// When the file exists or cannot be made, or the id is no name for a session.
    pub fn create(path: impl Into<PathBuf>, new: NewSession, durability: Durability) -> Result<Self, SessionError> {
        Self::begin(path.into(), &new.header()?, durability)
    }

    pub(crate) fn begin(path: PathBuf, header: &Header, durability: Durability) -> Result<Self, SessionError> {
        let file = file::create(&path)?;
        let written = file::start(&file, &path, header, durability);
        written.inspect_err(|_| drop(fs::remove_file(&path)))?;
        Ok(Self { is_new: true, ..Self::load(file, path, durability)? })
    }

    /// Opens a file to go on with it. A cut last line is moved aside, with a notice.
    ///
    /// # Errors
    ///
    /// When another process has it open for writing, when it is of version 1 or 2, when a part of it cannot be read, or
    /// when it cannot be written.
    pub fn open(path: impl Into<PathBuf>, durability: Durability) -> Result<Self, SessionError> {
        let path = path.into();
        Self::load(file::open(&path)?, path, durability)
    }

    fn load(file: File, path: PathBuf, durability: Durability) -> Result<Self, SessionError> {
        let mut session = load::load(file, path)?;
        writable(&session)?;
        torn::mend_end(&mut session)?;
        let tail = Tail::new(session.end, durability);
        Ok(Self { session, tail, is_new: false })
    }

    /// What was stored up to now.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// When an entry is on the disk for certain.
    pub fn durability(&self) -> Durability {
        self.tail.durability()
    }

    /// Appends an entry below the leaf. It is the leaf then.
    ///
    /// # Errors
    ///
    /// When it is no entry, is too long or could not be stored.
    pub fn append(&mut self, entry: NewEntry) -> Result<String, SessionError> {
        if let NewEntry::Compaction(Compaction { first_kept: Some(first_kept), .. }) = &entry {
            self.on_branch(first_kept)?;
        }
        let name = entry.name();
        self.write(name, |fields| entry.fill(fields))
    }

    /// Gives an entry a label, or takes it away.
    ///
    /// # Errors
    ///
    /// When there is no such entry, or the label could not be stored.
    pub fn label(&mut self, target: &str, label: Option<&str>) -> Result<String, SessionError> {
        self.session.known(target)?;
        self.write("label", |fields| fields.with("targetId", target).maybe("label", label))
    }

    /// Gives the session a name. An empty one takes it away.
    ///
    /// # Errors
    ///
    /// When it could not be stored.
    pub fn name(&mut self, name: &str) -> Result<String, SessionError> {
        let words: Vec<&str> = name.split(['\r', '\n']).filter(|part| !part.is_empty()).collect();
        let name = words.join(" ");
        self.write("session_info", |fields| fields.with("name", name.trim()))
    }

    /// Moves the leaf to an entry, or before the first one. With a summary of what is left, that is the new leaf.
    ///
    /// # Errors
    ///
    /// When there is no such entry, or the move could not be stored. The summary is a second entry: when that one fails,
    /// the leaf has moved.
    pub fn move_to(&mut self, target: Option<&str>, summary: Option<BranchSummary>) -> Result<(), SessionError> {
        if let Some(target) = target {
            self.session.known(target)?;
        }
        self.write("leaf", |fields| fields.with("targetId", target))?;
        if let Some(summary) = summary {
            self.write("branch_summary", |fields| summary.fill(fields, target.unwrap_or("root")))?;
        }
        Ok(())
    }

    /// A point at which everything has to be on the disk, with [`Durability::SavePoints`].
    ///
    /// # Errors
    ///
    /// When the disk does not confirm it. The session takes no more entries then.
    pub fn save_point(&mut self) -> Result<(), SessionError> {
        self.tail.save_point(&self.session.file).map_err(|error| self.failed(error))
    }

    /// Removes the file if it was made by this log and nothing was appended.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub fn remove_if_unused(&self) -> io::Result<()> {
        let is_unused = self.is_new && self.session.entries().is_empty();
        if is_unused { fs::remove_file(&self.session.path) } else { Ok(()) }
    }

    fn on_branch(&self, id: &str) -> Result<(), SessionError> {
        let index = self.session.known(id)?;
        let depth = self.session.index.get(index).map(|entry| entry.depth);
        let there = depth.and_then(|depth| self.session.reduction.path().get(depth));
        let error = || SessionError::NotOnBranch { path: self.session.path.clone(), id: id.to_owned() };
        if there == Some(&index) { Ok(()) } else { Err(error()) }
    }

    fn write(&mut self, name: &str, fill: impl FnOnce(Fields) -> Fields) -> Result<String, SessionError> {
        let id = ids::entry(|id| self.session.entry(id).is_some());
        let parent = self.session.leaf().map(crate::Entry::id);
        let mut line = fill(Fields::new(name, &id, parent)).line();
        let ready = self.ready(&line)?;
        line.push('\n');
        self.tail.append(&self.session.file, line.as_bytes()).map_err(|error| self.failed(error))?;
        self.session.lines += 1;
        self.session.end = self.tail.end();
        self.session.take(ready);
        Ok(id)
    }

    /// Reads a line as it will be read from the file, before it is written.
    fn ready(&self, line: &str) -> Result<Ready, SessionError> {
        let (path, bytes) = (&self.session.path, line.len() as u64);
        if bytes > MAX_LINE {
            return Err(SessionError::TooLong { path: path.clone(), bytes: line.len(), limit: MAX_LINE });
        }
        let place = Place { line: self.session.lines + 1, offset: self.tail.end(), bytes };
        let read = Reader::new(crate::header::VERSION).read(line);
        let ready = read.and_then(|parsed| self.session.index.prepare(parsed, place));
        ready.map_err(|reason| SessionError::NotStorable { path: path.clone(), reason })
    }

    fn failed(&self, error: TailError) -> SessionError {
        let path = self.session.path.clone();
        match error {
            TailError::Failed(source) => SessionError::Write { path, line: self.session.lines + 1, source },
            TailError::Changed(expected, found) => SessionError::Changed { path, expected, found },
            TailError::Broken(reason) => SessionError::Poisoned { path, reason },
        }
    }
}

/// Nothing is added to an old version, or to a conversation of which a part is missing.
fn writable(session: &Session) -> Result<(), SessionError> {
    let (path, version) = (session.path.clone(), session.header.version);
    if version < crate::header::VERSION {
        return Err(SessionError::OldVersion { path, version });
    }
    let mut damages = session.notices.iter().filter(|notice| notice.problem.forbids_writing());
    match damages.next().map(Notice::to_string) {
        Some(first) => Err(SessionError::Damaged { path, first, others: damages.count() }),
        None => Ok(()),
    }
}
