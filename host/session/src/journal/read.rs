//! Reads a journal from front to back. What was changed in it is found by [`verify`](super::verify), not here.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::folder;
use crate::journal::fields::Fields;
use crate::journal::files::{self, Files};
use crate::journal::parse::{Parsed, parse};
use crate::journal::seal::Hash;
use crate::journal::secrets::Secrets;
use crate::journal::{JournalError, Json, Record, blobs};
use crate::lines::{self, Lines};

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1, counted over all segments.
    pub n: u64,
    /// When it was written, in milliseconds since 1970.
    pub time: i64,
    /// The number of its segment.
    pub segment: u64,
    /// The line in the file of the segment, from 1.
    pub line: u64,
}

impl Line {
    /// The record as a line of JSON, with long values in their places.
    pub fn json(&self, record: &Record<'_>) -> String {
        let mut text = Vec::new();
        let _written = write!(text, r#"{{"n":{},"time":{},"#, self.n, self.time);
        // Without a store nothing is written to, so nothing fails.
        let _kept = Fields { text: &mut text, secrets: &Secrets::default(), store: None }.record(record);
        text.push(b'}');
        String::from_utf8(text).unwrap_or_default()
    }
}

/// The records of a journal, the oldest first. One segment's places of long values are in memory, and one line.
#[derive(Debug)]
pub struct JournalReader {
    /// The session that it lies beside, if there is one.
    session: Option<String>,
    waiting: VecDeque<Segment>,
    reading: Option<Reading>,
}

/// Reads the journal of a session, all that is there of it. A line of another session's is an error.
///
/// # Errors
///
/// When there is none, or it cannot be read.
pub fn read(session_file: &Path) -> Result<JournalReader, JournalError> {
    let waiting: VecDeque<Segment> = segments(&Files::of(session_file))?.into();
    if waiting.is_empty() {
        return Err(JournalError::Absent { path: Files::of(session_file).current().to_owned() });
    }
    Ok(JournalReader { session: session(session_file), waiting, reading: None })
}

/// The id of a session, if its file is there and begins as one.
pub(crate) fn session(file: &Path) -> Option<String> {
    folder::header(file).ok().map(|header| header.id)
}

/// A file of a journal.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    /// Whether it is the one that is written.
    pub(crate) is_current: bool,
}

/// The files that are there, in order. The current one has the number that follows, until its first line says another.
pub(crate) fn segments(files: &Files) -> Result<Vec<Segment>, JournalError> {
    // In this order: a segment that is closed meanwhile is not left out.
    let current = files::read(files.current())?;
    let mut segments = Vec::new();
    for number in files.list()? {
        let path = files.closed(number);
        segments.extend(files::read(&path)?.map(|file| Segment { number, path, file, is_current: false }));
    }
    let number = segments.last().map_or(1, |last| last.number + 1);
    let path = files.current().to_owned();
    // It was closed since it was opened here.
    let is_listed = |current: &File| segments.iter().any(|segment: &Segment| is_same(&segment.file, current));
    let current = current.filter(|current| !is_listed(current));
    segments.extend(current.map(|file| Segment { number, path, file, is_current: true }));
    Ok(segments)
}

fn is_same(one: &File, other: &File) -> bool {
    let place = |file: &File| file.metadata().ok().map(|file| (file.dev(), file.ino()));
    place(one).is_some_and(|found| place(other) == Some(found))
}

#[derive(Debug)]
struct Reading {
    session: Option<String>,
    segment: u64,
    path: PathBuf,
    lines: Lines<Arc<File>>,
    file: Arc<File>,
    text: Vec<u8>,
    /// Where long values are, and how long.
    values: HashMap<Hash, (u64, usize)>,
}

impl Iterator for JournalReader {
    type Item = Result<(Line, Record<'static>), JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reading.as_mut().and_then(Reading::next) {
                Some(found) => return Some(found),
                None => self.reading = Some(Reading::of(self.waiting.pop_front()?, self.session.clone())),
            }
        }
    }
}

impl Reading {
    fn of(segment: Segment, session: Option<String>) -> Self {
        let Segment { number: segment, path, file, .. } = segment;
        let file = Arc::new(file);
        let lines = Lines::new(Arc::clone(&file));
        Self { session, segment, path, lines, file, text: Vec::new(), values: HashMap::new() }
    }

    fn next(&mut self) -> Option<Result<(Line, Record<'static>), JournalError>> {
        loop {
            let line = match self.lines.next(&mut self.text) {
                Ok(line) => line?,
                Err(source) => return Some(Err(JournalError::File { path: self.path.clone(), done: "read", source })),
            };
            if !line.ended {
                // Half a line: it was never there.
                return None;
            }
            match self.record(line) {
                Ok(Some(found)) => return Some(Ok(found)),
                Ok(None) => {}
                Err(reason) => {
                    let (path, line) = (self.path.clone(), line.place.line);
                    return Some(Err(JournalError::Line { path, line, reason }));
                }
            }
        }
    }

    /// The record of a line. A long value is no record, and is remembered.
    fn record(&mut self, line: lines::Line) -> Result<Option<(Line, Record<'static>)>, String> {
        let place = line.place;
        if line.too_long {
            return Err(format!("has {} bytes, and at most {} are read", place.bytes, lines::MAX_LINE));
        }
        let (base, parsed) = parse(&self.text)?;
        let mut record = match parsed {
            Parsed::Record(record) => record,
            Parsed::Blob(hash, value) => {
                let start = value.as_ptr().addr() - self.text.as_ptr().addr();
                self.values.insert(hash, (place.offset + start as u64, value.len()));
                return Ok(None);
            }
        };
        if let Record::Open(open) = &record {
            if let Some(session) = self.session.as_ref().filter(|session| **session != open.session) {
                return Err(format!("is of session {}, and this is session {session}", open.session));
            }
            self.segment = open.segment;
        }
        for value in record.values() {
            self.put_in(value)?;
        }
        Ok(Some((Line { n: base.n, time: base.time, segment: self.segment, line: place.line }, record)))
    }

    /// Puts long values where they belong.
    fn put_in(&self, json: &mut Json<'static>) -> Result<(), String> {
        if blobs::has_no_reference(json.text()) {
            return Ok(());
        }
        let whole = self.value(json.text())?;
        let elements = blobs::with_elements(whole.as_deref().unwrap_or(json.text()), |element| self.value(element))?;
        if let Some(text) = elements.or(whole) {
            *json = Json::trusted(text);
        }
        Ok(())
    }

    /// The value that is referred to, if this is a reference.
    fn value(&self, json: &str) -> Result<Option<String>, String> {
        let Some(hash) = blobs::referred(json) else { return Ok(None) };
        let (offset, length) = self.values.get(&hash).ok_or("refers to a value that is not there")?;
        let mut text = vec![0; *length];
        let read = self.file.read_exact_at(&mut text, *offset);
        read.map_err(|error| format!("refers to a value that cannot be read ({error})"))?;
        String::from_utf8(text).map(Some).map_err(|_| "refers to a value that is no text".to_owned())
    }
}
