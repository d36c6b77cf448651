//! The journal: everything that plugins, the host's rules and the user decided, so that it can be looked at and run again.
//!
//! It lies beside its session, a JSON line for each thing that happened. Every line has a number, and the hash of itself
//! and of the line before: [`verify`] finds a line that was changed, removed or moved. Beside session `X.jsonl` are
//! `X.journal`, which is written; `X.journal.1`, `X.journal.2` and so on, which were closed when they became long; and
//! `X.journal.head`, which says how far it went. Whoever can write all of them can also write another chain: it shows
//! what was changed afterwards, not who was the author.
//!
//! A key that a plugin gives the host is not written, and from then on hidden wherever it would stand. That has limits. A
//! key of less than 8 bytes is not looked for, and one that stands in several pieces is not found: of what a model streams,
//! no piece is kept then. What was written before the key was given stays. And whoever may give keys can have any text of
//! visible characters hidden in what others say: `[secret]` shows where. Names, ids of calls and the fields that a tool was
//! called with stay whatever they are.
//!
//! The session's lock covers its journal: only who has a [`SessionLog`] open may open the journal of its file. A fork or a
//! copy of a session begins a journal of its own.

mod blobs;
mod error;
mod fields;
mod files;
mod head;
mod json;
mod open;
mod parse;
mod read;
mod record;
mod seal;
mod secrets;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fs, io};

use self::fields::Fields;
use self::files::Files;
use self::head::{Head, HeadFile};
use self::secrets::Secrets;
use self::writer::Writer;
use crate::{Durability, SessionLog};

pub use self::error::JournalError;
pub use self::json::Json;
pub use self::read::{JournalReader, Line, read};
pub use self::record::{
    By, Crossing, Done, Failure, HostCall, Mended, Open, Outcome, Plugin, Record, Rejected, Ruling, Run, Verdict,
};
pub use self::verify::{Fault, Verified, verify};

/// How large a journal gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalBounds {
    /// A segment of so many bytes is closed.
    pub segment: u64,
    /// So many bytes all of them have together, at most. Then the oldest is removed.
    pub total: u64,
}

impl JournalBounds {
    /// So many bytes at most, in segments that are not too long for them.
    pub fn of(total: u64) -> Self {
        Self { segment: Self::default().segment.min(total / 2), total }
    }
}

impl Default for JournalBounds {
    fn default() -> Self {
        Self { segment: 16 << 20, total: 256 << 20 }
    }
}

/// A journal that is written.
#[derive(Debug)]
pub struct Journal {
    files: Files,
    session: String,
    bounds: JournalBounds,
    run: u64,
    segment: AtomicU64,
    /// Something stands in it that was decided or done.
    used: AtomicBool,
    /// See [`Open::durability`].
    durability: Option<Durability>,
    failure: OnceLock<String>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    writer: Writer,
    head: HeadFile,
    /// The segments that were closed and are kept, with their lengths.
    closed: VecDeque<(u64, u64)>,
    /// What every segment has to begin with.
    plugins: Vec<Plugin<'static>>,
    /// How many instances each plugin has had.
    instances: HashMap<Box<str>, u64>,
    secrets: Secrets,
    fields: Vec<u8>,
}

impl Journal {
    /// Opens the journal of a session, or makes it. Half a line at its end is cut off; [`Mended`] says so.
    ///
    /// # Errors
    ///
    /// When its end is not as it was written, when it is another session's, or when it cannot be written.
    pub fn open(session_file: &Path, session_id: &str, bounds: JournalBounds) -> Result<Self, JournalError> {
        Self::begin(session_file, session_id, bounds, None)
    }

    /// The same, of a session that is written. If each of its entries is confirmed by the disk, it is also confirmed that
    /// a call begins which may not be made twice, before the call has any effect: after a loss of power nobody takes it
    /// for one that was not made.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn of(log: &SessionLog, bounds: JournalBounds) -> Result<Self, JournalError> {
        let session = log.session();
        Self::begin(session.path(), &session.header().id, bounds, Some(log.durability()))
    }

    fn begin(
        session_file: &Path,
        session_id: &str,
        bounds: JournalBounds,
        durability: Option<Durability>,
    ) -> Result<Self, JournalError> {
        let files = Files::of(session_file);
        let start = open::find(&files, session_id)?;
        let open::Start { chain, segment, oldest, run, .. } = start;
        let (mut head, has_head) = (HeadFile::open(&files)?, start.known.is_some());
        // Before the first line of this run, so that no run has the number of another. It still knows the old end.
        if let Some(writer::Chain { n, hash }) = start.known {
            head.write(Head { n, hash, run })?;
        }
        let entries = if chain.n == 0 { open::entries(session_file)? } else { 0 };
        let file = files::open(files.current(), start.is_new)?;
        let writer = Writer::new(files.current().to_owned(), file, start.end, chain);
        let (plugins, instances, secrets, fields) = Default::default();
        let mut state = State { writer, head, closed: start.closed, plugins, instances, secrets, fields };
        let said = durability.map(|durability| word(durability).into());
        state.begin(
            Open { session: session_id.into(), segment, oldest, entries, run, durability: said },
            start.mended,
            has_head,
        )?;
        let (session, segment, used) = (session_id.to_owned(), segment.into(), (chain.n > 0).into());
        let (failure, state) = (OnceLock::new(), Mutex::new(state));
        Ok(Self { files, session, bounds, run, segment, used, durability, failure, state })
    }

    /// Writes a record. With a failure nothing more is written: see [`failure`](Self::failure).
    ///
    /// # Errors
    ///
    /// When it cannot be written, or an earlier one could not.
    pub fn write(&self, record: &Record<'_>) -> Result<(), JournalError> {
        self.write_counted(record).map(drop)
    }

    /// The same. Gives by how many bytes the journal has grown: long values that stand in it already take no room.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or an earlier one could not.
    pub fn write_counted(&self, record: &Record<'_>) -> Result<u64, JournalError> {
        if !matches!(record, Record::Open(_) | Record::Plugin(_) | Record::Mended(_)) {
            self.used.store(true, Ordering::Relaxed);
        }
        self.change(|state| {
            if state.writer.end() >= self.bounds.segment {
                self.rotate(state)?;
            }
            if let Record::Plugin(plugin) = record {
                state.plugins.push(plugin.clone().into_owned());
            }
            let before = state.writer.end();
            state.put(record)?;
            let is_kept = |run: &Run<'_>| run.replay == "never" && self.durability == Some(Durability::EachEntry);
            if matches!(record, Record::Run(run) if is_kept(run)) {
                state.writer.sync()?;
            }
            Ok(state.writer.end() - before)
        })
    }

    /// Other plugins are asked from here on: a segment begins with those that are written after this.
    pub fn forget_plugins(&self) {
        self.lock().plugins.clear();
    }

    /// The number of the next instance of a plugin, from 1. No other instance of a plugin of this name has it in this run,
    /// also when the plugin was loaded again.
    pub fn next_instance(&self, plugin: &str) -> u64 {
        let mut state = self.lock();
        let count = state.instances.entry(plugin.into()).or_default();
        *count += 1;
        *count
    }

    /// How large it gets.
    pub fn bounds(&self) -> JournalBounds {
        self.bounds
    }

    /// The number of this opening, from 1: no other of this session has it.
    pub fn run(&self) -> u64 {
        self.run
    }

    /// The file that is written. Those that were closed have its name, and a number after it.
    pub fn path(&self) -> &Path {
        self.files.current()
    }

    /// The number of the segment that is written. Each begins with its plugins: instances of plugins that were made before
    /// it changed have a past that is not in the new one.
    pub fn segment(&self) -> u64 {
        self.segment.load(Ordering::Acquire)
    }

    /// From here on, this secret is written as `[secret]` in every value and text. Ids of calls and names stay, those of
    /// fields too. One of less than 8 bytes is not looked for. Of more than 16, those that were not given for longest are
    /// forgotten. What is already written stays.
    pub fn hide(&self, secret: &str) {
        self.lock().secrets.add(secret);
    }

    /// Whether there is a secret to hide.
    pub fn hides(&self) -> bool {
        !self.lock().secrets.is_empty()
    }

    /// Notes how far the journal goes, so that lines that are cut off are missed. [`sync`](Self::sync) it before: what the
    /// head knows and a loss of power took is missed, too.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or somebody else wrote to the journal.
    pub fn save_point(&self) -> Result<(), JournalError> {
        self.change(|state| {
            state.writer.is_there()?;
            state.point(self.run)
        })
    }

    /// Makes sure that everything up to here is on the disk.
    ///
    /// # Errors
    ///
    /// When the disk does not confirm it.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.change(|state| state.writer.sync())
    }

    /// Why nothing is written any more.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Whether anything stands in it that was decided or done.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    fn remove(&self) -> io::Result<()> {
        let _no_more = self.failure.set("it was removed".to_owned());
        fs::remove_file(self.files.current()).and_then(|()| fs::remove_file(self.files.head()))
    }

    /// Does something to the journal, unless it has failed before.
    fn change<T>(&self, work: impl FnOnce(&mut State) -> Result<T, JournalError>) -> Result<T, JournalError> {
        let mut state = self.lock();
        if let Some(reason) = self.failure.get() {
            return Err(JournalError::Broken { path: self.files.current().to_owned(), reason: reason.clone() });
        }
        work(&mut state).inspect_err(|error| drop(self.failure.set(error.to_string())))
    }

    /// Closes the segment and begins another one.
    fn rotate(&self, state: &mut State) -> Result<(), JournalError> {
        let segment = self.segment();
        let length = state.writer.end();
        state.writer.close_as(&self.files.closed(segment))?;
        state.point(self.run)?;
        state.closed.push_back((segment, length));
        let too_old = state.too_old(self.bounds);
        let oldest = state.closed.front().map_or(segment + 1, |(oldest, _)| *oldest);
        let file = files::open(self.files.current(), true)?;
        state.writer = Writer::new(self.files.current().to_owned(), file, 0, state.writer.chain());
        let durability = self.durability.map(|durability| word(durability).into());
        let (session, segment) = ((&*self.session).into(), segment + 1);
        let open = Open { session, segment, oldest, entries: 0, run: self.run, durability };
        state.put(&Record::Open(open))?;
        for plugin in state.plugins.clone() {
            state.put(&Record::Plugin(plugin))?;
        }
        self.segment.store(segment, Ordering::Release);
        // Only now: what is missing is what the journal itself says is gone.
        too_old.into_iter().try_for_each(|segment| remove(&self.files.closed(segment)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Writes the first lines of a run, and what was amiss. A head that is there knows the old end until then, and if nothing
    /// was amiss until a save point: what it knows is on the disk.
    fn begin(&mut self, open: Open<'_>, mended: Option<Mended>, has_head: bool) -> Result<(), JournalError> {
        let (run, old) = (open.run, self.writer.chain());
        // What is amiss is in the chain before anything else is. But a segment begins with an `open`.
        let (open, mended) = (Some(Record::Open(open)), mended.map(Record::Mended));
        let records = if self.writer.end() > 0 { [mended.clone(), open] } else { [open, mended.clone()] };
        records.iter().flatten().try_for_each(|record| self.put(record))?;
        match mended {
            // What was missing is said. The head is to know that, but nothing that a loss of power could take.
            Some(Record::Mended(Mended { lost, .. })) if lost != Some(0) => {
                self.writer.sync()?;
                self.point(run)
            }
            _ if has_head => Ok(()),
            _ => self.head.write(Head { n: old.n, hash: old.hash, run }),
        }
    }

    fn put(&mut self, record: &Record<'_>) -> Result<(), JournalError> {
        let Self { writer, secrets, fields, .. } = self;
        fields.clear();
        Fields { text: fields, secrets, store: Some(writer) }.record(record)?;
        writer.append(fields)
    }

    /// Notes the end. What the head knows has to be on the disk before, if anything has to.
    fn point(&mut self, run: u64) -> Result<(), JournalError> {
        let writer::Chain { n, hash } = self.writer.chain();
        self.head.write(Head { n, hash, run })
    }

    /// Takes out the oldest segments, so that there is room for another one.
    fn too_old(&mut self, bounds: JournalBounds) -> Vec<u64> {
        let mut too_old = Vec::new();
        let room = bounds.total.saturating_sub(bounds.segment);
        while self.closed.iter().map(|(_, length)| length).sum::<u64>() > room {
            too_old.extend(self.closed.pop_front().map(|(segment, _)| segment));
        }
        too_old
    }
}

/// What an [`Open`] says when each entry is on the disk for certain.
pub const EACH_ENTRY: &str = "entry";

fn word(durability: Durability) -> &'static str {
    match durability {
        Durability::EachEntry => EACH_ENTRY,
        Durability::SavePoints => "save-point",
        Durability::Never => "never",
    }
}

/// Leaves a session. Nothing stays of a new one in which nothing was said, decided or done.
///
/// # Errors
///
/// When its files cannot be removed.
pub fn leave(log: &SessionLog, journal: Option<&Journal>) -> io::Result<()> {
    if journal.is_some_and(Journal::is_used) {
        return Ok(());
    }
    log.remove_if_unused()?;
    let is_gone = !log.session().path().exists();
    journal.filter(|_| is_gone).map_or(Ok(()), Journal::remove)
}

fn remove(path: &Path) -> Result<(), JournalError> {
    fs::remove_file(path).map_err(|source| JournalError::File { path: path.to_owned(), done: "removed", source })
}
