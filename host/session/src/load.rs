//! Reads a session file from front to back, one line in memory at a time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use crate::index::Index;
use crate::line::Reader;
use crate::lines::{Line, Lines, MAX_LINE, Place};
use crate::mend::mend;
use crate::notice::{Notice, Problem};
use crate::{EntryKind, Header, Reduction, Session, SessionError};

#[cfg(test)]
mod tests;

/// How the file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a line end.
    Whole,
    /// With a whole line that has no line end.
    NoLineEnd,
    /// With a line that is cut.
    Torn(Place),
}

/// Reads an open file.
pub(crate) fn load(file: File, path: PathBuf) -> Result<Session, SessionError> {
    let failed = |source| SessionError::Open { path: path.clone(), source };
    let mut from_start = &file;
    from_start.rewind().map_err(failed)?;
    let (mut lines, mut text) = (Lines::new(from_start), Vec::new());
    let (header, first) = header(&path, &mut lines, &mut text)?;
    let mut loading = Loading::new(&header, first);
    while let Some(line) = lines.next(&mut text).map_err(failed)? {
        loading.line(line, &mut text);
    }
    let (lines, end) = (lines.count(), lines.offset());
    let Loading { index, notices, ending, .. } = loading;
    let reduction = Reduction::of(&index, index.leaf());
    Ok(Session { path, file, header, index, reduction, notices, lines, end, ending })
}

/// Reads the first line that is not blank.
pub(crate) fn header(
    path: &Path,
    lines: &mut Lines<impl Read>,
    text: &mut Vec<u8>,
) -> Result<(Header, Line), SessionError> {
    let not_ours = |reason: &str| SessionError::NotASession { path: path.to_owned(), reason: reason.to_owned() };
    loop {
        let line = lines.header(text);
        let line = line.map_err(|source| SessionError::Open { path: path.to_owned(), source })?;
        let line = line.ok_or_else(|| not_ours("it is empty"))?;
        if line.too_long {
            return Err(not_ours("its first line is longer than a header may be"));
        }
        if !text.trim_ascii().is_empty() {
            mend(text);
            return Ok((Header::read(path, &String::from_utf8_lossy(text))?, line));
        }
    }
}

/// What is known so far.
struct Loading {
    reader: Reader,
    index: Index,
    notices: Vec<Notice>,
    /// The notice about each unknown type.
    unknown: HashMap<Box<str>, usize>,
    ending: Ending,
}

impl Loading {
    fn new(header: &Header, first: Line) -> Self {
        let ending = if first.ended { Ending::Whole } else { Ending::NoLineEnd };
        let (reader, index) = (Reader::new(header.version), Index::default());
        let mut loading = Self { reader, index, notices: Vec::new(), unknown: HashMap::new(), ending };
        if ending == Ending::NoLineEnd {
            loading.notice(first, Problem::NoLineEnd);
        }
        loading
    }

    fn line(&mut self, line: Line, text: &mut Vec<u8>) {
        if !line.too_long && text.trim_ascii().is_empty() {
            self.ending = if line.ended || text.is_empty() { Ending::Whole } else { Ending::NoLineEnd };
            return;
        }
        let found = if line.too_long { Vec::new() } else { mend(text) };
        match self.entry(line, text) {
            Err(_) if !line.ended && !is_whole(text) => {
                self.ending = Ending::Torn(line.place);
                self.notice(line, Problem::Torn { bytes: line.place.bytes, kept: None });
                return;
            }
            Err(reason) => self.notice(line, Problem::Bad(reason)),
            Ok(()) => found.into_iter().for_each(|problem| self.notice(line, problem)),
        }
        if !line.ended {
            self.ending = Ending::NoLineEnd;
            self.notice(line, Problem::NoLineEnd);
        }
    }

    /// Takes a line into the tree. The error says what is wrong with it.
    fn entry(&mut self, line: Line, text: &[u8]) -> Result<(), String> {
        if line.too_long {
            return Err(format!("has {} bytes, and at most {MAX_LINE} are read", line.place.bytes));
        }
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let parsed = self.reader.read(text)?;
        let parent = parsed.parent.clone();
        let unknown = if let EntryKind::Other(name) = &parsed.kind { Some(name.clone()) } else { None };
        let ready = self.index.prepare(parsed, line.place)?;
        if let Some(parent) = parent.filter(|parent| self.index.find(parent).is_none()) {
            self.notice(line, Problem::NoParent(parent));
        }
        self.index.commit(ready);
        if let Some(name) = unknown {
            self.unknown_type(line, name);
        }
        Ok(())
    }

    fn unknown_type(&mut self, line: Line, name: Box<str>) {
        let first = self.unknown.get(&name).and_then(|notice| self.notices.get_mut(*notice));
        if let Some(Notice { problem: Problem::UnknownType { count, .. }, .. }) = first {
            *count += 1;
            return;
        }
        self.unknown.insert(name.clone(), self.notices.len());
        self.notice(line, Problem::UnknownType { name: name.into(), count: 1 });
    }

    fn notice(&mut self, line: Line, problem: Problem) {
        self.notices.push(Notice { line: line.place.line, problem });
    }
}

/// Whether a line without its end is all there: half an object is no JSON.
fn is_whole(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}
