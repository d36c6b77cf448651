//! Some lines of a file, in bounded memory.

use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::blocking::{Undone, go_on};

/// Which lines are wanted.
pub(super) struct Range {
    /// The first, from 1.
    pub(super) first: u64,
    /// How many.
    pub(super) count: u64,
}

/// The lines, with their ends as they are in the file, and how many there are in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    /// The last line that is shown.
    pub(super) last: u64,
    /// The number of lines that were met.
    pub(super) total: u64,
    /// Whether that is all of the file.
    pub(super) is_whole: bool,
    /// Whether the only line shown was too long and is cut.
    pub(super) is_cut: bool,
}

/// How long is read on for lines that are not shown.
pub(super) struct Patience {
    /// For the first line that is wanted.
    pub(super) before: Duration,
    /// After the last line that is shown, to count the others.
    pub(super) after: Duration,
    /// The same, in bytes.
    pub(super) bytes: usize,
}

/// Files of 200 GB exist, also such that hold nothing but one line.
pub(super) const PATIENCE: Patience =
    Patience { before: Duration::from_secs(10), after: Duration::from_secs(1), bytes: 64 * 1024 * 1024 };

/// Reads on to count the lines, to the end or while there is patience, but keeps no more than what is shown and one line.
pub(super) fn read(
    file: impl Read,
    range: &Range,
    max: usize,
    patience: &Patience,
    stop: &CancellationToken,
) -> Result<Page, Undone> {
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut pager = Pager { range, max, page: Page::default(), line: Vec::new(), is_open: false, is_full: false };
    let mut watch = Watch { patience, since: Instant::now(), past: None };
    loop {
        go_on(stop)?;
        let chunk = reader.fill_buf()?;
        let length = chunk.len();
        if length == 0 {
            return Ok(pager.finish(true));
        }
        chunk.split_inclusive(|byte| *byte == b'\n').for_each(|part| pager.take(part));
        reader.consume(length);
        if watch.is_over(&pager, length) {
            return Ok(pager.finish(false));
        }
    }
}

/// How long nothing was met that is shown.
struct Watch<'a> {
    patience: &'a Patience,
    since: Instant,
    /// How many bytes were read past what is shown.
    past: Option<usize>,
}

impl Watch<'_> {
    fn is_over(&mut self, pager: &Pager<'_>, length: usize) -> bool {
        if pager.page.total < pager.range.first {
            return self.since.elapsed() >= self.patience.before;
        }
        if pager.needs_more() {
            return false;
        }
        let Some(past) = self.past else {
            (self.since, self.past) = (Instant::now(), Some(0));
            return false;
        };
        self.past = Some(past + length);
        past + length >= self.patience.bytes || self.since.elapsed() >= self.patience.after
    }
}

struct Pager<'a> {
    range: &'a Range,
    max: usize,
    page: Page,
    /// The start of the current line, if it is wanted.
    line: Vec<u8>,
    /// Whether the current line has begun.
    is_open: bool,
    /// Whether nothing more is shown.
    is_full: bool,
}

impl Pager<'_> {
    /// Takes a line or a part of one.
    fn take(&mut self, part: &[u8]) {
        if !self.is_open {
            self.is_open = true;
            self.page.total += 1;
        }
        if self.is_wanted() {
            let room = (self.max + 1).saturating_sub(self.line.len());
            self.line.extend(part.iter().take(room));
        }
        if part.ends_with(b"\n") {
            self.end_line();
        }
    }

    fn is_wanted(&self) -> bool {
        let end = self.range.first.saturating_add(self.range.count);
        !self.is_full && (self.range.first..end).contains(&self.page.total)
    }

    fn end_line(&mut self) {
        self.is_open = false;
        if !self.is_wanted() {
            return;
        }
        if self.page.bytes.len() + self.line.len() <= self.max {
            self.page.bytes.append(&mut self.line);
            self.page.last = self.page.total;
            return;
        }
        self.is_full = true;
        if self.page.bytes.is_empty() {
            self.line.truncate(self.max);
            trim_cut_character(&mut self.line);
            self.page.bytes.append(&mut self.line);
            self.page.last = self.page.total;
            self.page.is_cut = true;
        }
        self.line.clear();
    }

    /// Whether what comes may be shown.
    fn needs_more(&self) -> bool {
        self.is_wanted() && self.page.bytes.len() + self.line.len() <= self.max
    }

    fn finish(mut self, is_whole: bool) -> Page {
        self.page.is_whole = is_whole;
        if self.is_open {
            self.end_line();
        }
        self.page
    }
}

/// Drops the start of a character whose end was cut off.
fn trim_cut_character(bytes: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}
