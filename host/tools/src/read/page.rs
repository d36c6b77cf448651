//! Some lines of a file, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

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
    /// The number of lines of the file.
    pub(super) total: u64,
    /// Whether the only line shown was too long and is cut.
    pub(super) is_cut: bool,
}

#[derive(Debug)]
pub(super) enum PageError {
    /// `stop` said so.
    Stopped,
    Io(io::Error),
}

/// Reads to the end, to count the lines, but keeps no more than what is shown and one line.
pub(super) fn read(file: impl Read, range: &Range, max: usize, stop: &dyn Fn() -> bool) -> Result<Page, PageError> {
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut pager = Pager { range, max, page: Page::default(), line: Vec::new(), is_open: false, is_full: false };
    loop {
        if stop() {
            return Err(PageError::Stopped);
        }
        let chunk = reader.fill_buf().map_err(PageError::Io)?;
        let length = chunk.len();
        if length == 0 {
            return Ok(pager.finish());
        }
        chunk.split_inclusive(|byte| *byte == b'\n').for_each(|part| pager.take(part));
        reader.consume(length);
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

    fn finish(mut self) -> Page {
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
