//! Lines that are read again, one after another mostly: a stretch of the file is held, so that not each line is a read of
//! its own.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::lines::Place;

#[cfg(test)]
mod tests;

/// How much is held at least.
const STRETCH: usize = 1 << 18;

pub(crate) struct Window<'a> {
    file: &'a File,
    /// Where in the file it begins.
    offset: u64,
    held: Vec<u8>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(file: &'a File) -> Self {
        Self { file, offset: 0, held: Vec::new() }
    }

    /// The bytes of a line.
    pub(crate) fn line(&mut self, place: Place) -> io::Result<&[u8]> {
        if self.range(place).is_none() {
            self.read(place)?;
        }
        let range = self.range(place);
        range.and_then(|range| self.held.get(range)).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn range(&self, place: Place) -> Option<Range<usize>> {
        let start = usize::try_from(place.offset.checked_sub(self.offset)?).ok()?;
        let end = start.checked_add(usize::try_from(place.bytes).ok()?)?;
        (end <= self.held.len()).then_some(start..end)
    }

    fn read(&mut self, place: Place) -> io::Result<()> {
        self.held.resize(usize::try_from(place.bytes).unwrap_or(usize::MAX).max(STRETCH), 0);
        self.offset = place.offset;
        let mut filled = 0;
        while let Some(rest) = self.held.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, place.offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.held.clear();
                    return Err(error);
                }
            }
        }
        self.held.truncate(filled);
        Ok(())
    }
}
