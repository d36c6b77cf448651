//! A file as lines, read once from front to back. Only a line feed ends a line: U+2028, U+0085 and a lone carriage return
//! are text.

use std::io::{self, BufRead, BufReader, Read};

#[cfg(test)]
mod tests;

/// The longest line, in bytes. A longer one is bad and is never held in memory.
pub const MAX_LINE: u64 = 128 << 20;
/// The longest header, in bytes. What has no line end before that is no session, however large it is.
const MAX_HEADER: u64 = 1 << 20;

/// Where a line is, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// From 1.
    pub(crate) line: u64,
    /// In bytes, from the start of the file.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// A line that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) place: Place,
    /// Whether a line end follows.
    pub(crate) ended: bool,
    /// Whether it was longer than allowed. Its text was not kept then.
    pub(crate) too_long: bool,
}

#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
    offset: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(file: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 18, file), number: 0, offset: 0 }
    }

    /// How many lines were read.
    pub(crate) fn count(&self) -> u64 {
        self.number
    }

    /// How many bytes were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next line into `text`, without its line end. Of one over the limit nothing is kept.
    pub(crate) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Line>> {
        self.read(text, MAX_LINE)
    }

    /// Reads a line that may be the header. One over the limit is not read to its end: it may have none.
    pub(crate) fn header(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Line>> {
        self.start(text, MAX_HEADER)
    }

    fn read(&mut self, text: &mut Vec<u8>, limit: u64) -> io::Result<Option<Line>> {
        let Some(mut line) = self.start(text, limit)? else { return Ok(None) };
        if line.too_long {
            text.clear();
            let (skipped, ended) = self.skip()?;
            self.offset += skipped;
            line.ended = ended;
            line.place.bytes += skipped - u64::from(ended);
        }
        Ok(Some(line))
    }

    fn start(&mut self, text: &mut Vec<u8>, limit: u64) -> io::Result<Option<Line>> {
        text.clear();
        let read = Read::take(&mut self.reader, limit + 1).read_until(b'\n', text)? as u64;
        if read == 0 {
            return Ok(None);
        }
        let ended = text.pop_if(|last| *last == b'\n').is_some();
        self.number += 1;
        let place = Place { line: self.number, offset: self.offset, bytes: read - u64::from(ended) };
        self.offset += read;
        Ok(Some(Line { place, ended, too_long: !ended && read > limit }))
    }

    /// Reads up to the next line end without keeping anything: how many bytes, and whether there was one.
    fn skip(&mut self) -> io::Result<(u64, bool)> {
        let mut skipped = 0;
        loop {
            let chunk = self.reader.fill_buf()?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(length);
            skipped += length as u64;
            if end.is_some() || length == 0 {
                return Ok((skipped, end.is_some()));
            }
        }
    }
}
