//! The chain, followed line by line.

use std::collections::HashSet;
use std::path::Path;

use crate::journal::files::Files;
use crate::journal::head::{self, Head};
use crate::journal::parse::{Parsed, parse};
use crate::journal::read::Segment;
use crate::journal::seal::{self, Hash, Seal};
use crate::journal::verify::{Fault, TOLD, Verified};
use crate::journal::{JournalError, Mended, Open, Record, blobs};
use crate::lines::{self, Lines};

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What is known so far.
#[derive(Default)]
pub(super) struct Check {
    head: Option<Head>,
    /// The session that it lies beside, if there is one.
    session: Option<String>,
    /// This line says that lines before it are missing: the head may know one of them.
    told: bool,
    pub(super) found: Verified,
    /// Where we are.
    file: String,
    line: u64,
    /// The number of the last line, and its hash if it is known.
    n: u64,
    hash: Option<Hash>,
    /// What the last opening said.
    open: Option<Open<'static>>,
    /// The number of the last segment.
    number: Option<u64>,
    /// The oldest segment that is there.
    first: u64,
    /// The long values of this segment.
    values: HashSet<Hash>,
}

impl Check {
    pub(super) fn new(head: head::Found, session: Option<String>) -> Self {
        let head = if let head::Found::Head(head) = head { Some(head) } else { None };
        Self { head, session, ..Self::default() }
    }

    fn fault(&mut self, what: impl Into<String>) {
        if self.found.faults.len() == TOLD {
            self.found.more += 1;
            return;
        }
        self.found.faults.push(Fault { file: self.file.clone(), line: self.line, what: what.into() });
    }

    pub(super) fn segment(&mut self, segment: Segment) -> Result<(), JournalError> {
        let Segment { mut number, path, file, is_current } = segment;
        (self.file, self.line) = (name(&path), 0);
        self.values.clear();
        self.found.segments += 1;
        let (mut lines, mut text) = (Lines::new(file), Vec::new());
        loop {
            let line = lines.next(&mut text);
            let line = line.map_err(|source| JournalError::File { path: path.clone(), done: "read", source })?;
            let Some(line) = line else { break };
            self.line = line.place.line;
            if !line.ended && is_current {
                self.found.torn = line.place.bytes;
                break;
            }
            if line.place.line == 1 {
                number = self.first_line(&text, number, is_current);
            }
            self.check(line, &text);
        }
        if self.line == 0 && !is_current {
            self.fault("the file is empty");
        }
        Ok(())
    }

    /// A segment begins: the one after the last one, with an opening.
    fn first_line(&mut self, text: &[u8], named: u64, is_current: bool) -> u64 {
        let said = match parse(text) {
            Ok((base, Parsed::Record(Record::Open(open)))) => Some((base.n, open)),
            _ => None,
        };
        let number = said.as_ref().filter(|_| is_current).map_or(named, |(_, open)| open.segment);
        match &said {
            None => self.fault("a segment begins with an `open`, and this does not"),
            Some((_, open)) if open.segment != number => {
                self.fault(format!("this is segment {}, and the file is named as {number}", open.segment));
            }
            Some(_) => {}
        }
        let before = self.number.replace(number);
        let n = said.map_or(1, |(n, _)| n);
        match before {
            None => {
                self.first = number;
                if number > 1 {
                    (self.n, self.hash) = (n.saturating_sub(1), None);
                    self.found.dropped = self.n;
                } else {
                    self.hash = Some(seal::NONE);
                }
            }
            Some(before) if before + 1 != number => {
                self.fault(format!("{} missing before this file", range("segment", before + 1, number - 1)));
                (self.n, self.hash) = (n.saturating_sub(1), None);
            }
            Some(_) => {}
        }
        number
    }
}

impl Check {
    fn check(&mut self, line: lines::Line, text: &[u8]) {
        self.found.lines += 1;
        self.told = false;
        if !line.ended {
            self.fault("has no line end");
        }
        let Some(seal) = Seal::of(text).filter(|_| !line.too_long) else {
            self.fault("does not end with the hashes that every line ends with");
            (self.n, self.hash) = (self.n + 1, None);
            return;
        };
        match parse(text) {
            _ if !seal.intact => {
                self.fault("was changed: its hash is not that of what it says");
                self.n = parse(text).map_or(self.n + 1, |(base, _)| base.n);
            }
            Err(reason) => {
                self.fault(reason);
                self.n += 1;
            }
            Ok((base, parsed)) => {
                self.follows(base.n, seal.prev);
                self.content(parsed);
            }
        }
        self.hash = Some(seal.hash);
        if !self.told && self.head.is_some_and(|head| head.n == self.n && head.hash != seal.hash) {
            self.fault(format!("is not the line {} that the head knows", self.n));
        }
    }

    /// Its number and its place in the chain.
    fn follows(&mut self, n: u64, prev: Hash) {
        let expected = self.n + 1;
        if n > expected {
            self.fault(format!("{} missing before it", range("record", expected, n - 1)));
        } else if n < expected {
            self.fault(format!("is record {n}, where record {expected} belongs"));
        } else if self.hash.is_some_and(|hash| hash != prev) {
            self.fault("does not follow the line before it: its `prev` is another hash");
        }
        self.n = n;
    }

    fn content(&mut self, parsed: Parsed<'_>) {
        match parsed {
            Parsed::Blob(hash, value) => {
                if seal::hash(value.as_bytes()) != hash {
                    self.fault("its value does not have the digest that it names");
                }
                self.values.insert(hash);
            }
            Parsed::Record(Record::Open(open)) => self.opens(open),
            Parsed::Record(Record::Mended(mended)) => self.mended(mended),
            Parsed::Record(mut record) => {
                let values = record.values();
                let refers = values.iter().any(|value| self.lacks(value.text()));
                if refers {
                    self.fault("refers to a value that is not there");
                }
            }
        }
    }

    /// Whether a value refers to one that was not stored.
    fn lacks(&self, json: &str) -> bool {
        if blobs::has_no_reference(json) {
            return false;
        }
        let is_absent = |json: &str| blobs::referred(json).is_some_and(|hash| !self.values.contains(&hash));
        let mut lacks = is_absent(json);
        let _same = blobs::with_elements(json, |element| {
            lacks |= is_absent(element);
            Ok::<_, std::convert::Infallible>(None)
        });
        lacks
    }

    fn opens(&mut self, open: Open<'static>) {
        if let Some(session) = self.session.as_ref().filter(|session| **session != open.session) {
            let what = format!("is of session {}, and the file beside it is session {session}", open.session);
            self.fault(what);
        }
        let before = self.open.as_ref();
        if before.is_none() {
            self.found.entries = open.entries;
        }
        let is_new_run = before.is_none_or(|before| before.run != open.run);
        let fits = before.is_none_or(|before| before.session == open.session && before.run <= open.run);
        self.found.runs += u64::from(is_new_run);
        if !fits {
            self.fault("is of another session, or of an earlier run");
        }
        self.open = Some(open);
    }

    fn mended(&mut self, mended: Mended) {
        self.told = mended.lost != Some(0);
        match mended.lost {
            Some(0) => {}
            Some(lost) => self.fault(format!("{} before it: lost when it was opened again", count(lost))),
            None => self.fault("lines may be missing before it: the head did not fit when it was opened again"),
        }
    }

    /// What the head knows, and what the last opening says is kept.
    pub(super) fn end(&mut self, head: head::Found, files: &Files) {
        (self.file, self.line) = (name(&files.head()), 0);
        let last_run = self.open.as_ref().map_or(0, |open| open.run);
        match head {
            head::Found::Absent => self.fault("it is not there, so lines that were cut off the end are not missed"),
            head::Found::Damaged => self.fault("it was changed, so lines that were cut off the end are not missed"),
            head::Found::Head(head) if head.n > self.n => {
                self.file = name(files.current());
                self.fault(format!("{} missing at its end", range("record", self.n + 1, head.n)));
            }
            head::Found::Head(head) if head.run < last_run => self.fault("it is of an earlier run"),
            head::Found::Head(_) => {}
        }
        let oldest = self.open.as_ref().map_or(0, |open| open.oldest);
        if self.first > oldest {
            self.file = name(&files.closed(self.first));
            self.fault(format!("{} missing before this file", range("segment", oldest, self.first - 1)));
        }
    }
}

fn range(what: &str, first: u64, last: u64) -> String {
    if first >= last { format!("{what} {last} is") } else { format!("{what}s {first} to {last} are") }
}

fn count(lines: u64) -> String {
    if lines == 1 { "1 line is missing".to_owned() } else { format!("{lines} lines are missing") }
}
