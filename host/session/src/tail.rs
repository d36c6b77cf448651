//! The end of a file that is written: where the next line goes, and what a failed write leaves behind.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;

#[cfg(test)]
mod tests;

/// When an entry is on the disk for certain, and not only with the operating system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before the call that appends it returns.
    #[default]
    EachEntry,
    /// Before the call of [`SessionLog::save_point`](crate::SessionLog::save_point) returns.
    SavePoints,
    /// When the operating system gets to it. A crash of the process loses nothing, a loss of power may.
    Never,
}

/// What is asked of a file that is appended to.
pub(crate) trait Disk {
    fn length(&self) -> io::Result<u64>;
    fn append(&self, bytes: &[u8]) -> io::Result<()>;
    fn cut(&self, length: u64) -> io::Result<()>;
    fn sync(&self) -> io::Result<()>;
}

impl Disk for File {
    fn length(&self) -> io::Result<u64> {
        let found = self.metadata()?;
        if found.nlink() == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed"));
        }
        Ok(found.len())
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.write_all(bytes)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The end of a file.
#[derive(Debug)]
pub(crate) struct Tail {
    end: u64,
    durability: Durability,
    unsynced: bool,
    /// Why nothing is written any more.
    broken: Option<String>,
}

/// Why a line was not appended.
#[derive(Debug)]
pub(crate) enum TailError {
    /// Nothing was written, or what was written was taken back.
    Failed(io::Error),
    /// Somebody else wrote: the length that was expected, and the one that was found.
    Changed(u64, u64),
    /// It is not known what is on the disk. Nothing is written from here on.
    Broken(String),
}

impl Tail {
    pub(crate) fn new(end: u64, durability: Durability) -> Self {
        Self { end, durability, unsynced: false, broken: None }
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    /// Where the next line goes.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Appends a line, all of it or nothing.
    pub(crate) fn append(&mut self, disk: &impl Disk, line: &[u8]) -> Result<(), TailError> {
        self.check()?;
        let found = disk.length().map_err(TailError::Failed)?;
        if found != self.end {
            return Err(TailError::Changed(self.end, found));
        }
        if let Err(error) = disk.append(line) {
            return Err(self.take_back(disk, error));
        }
        self.unsynced = true;
        if self.durability == Durability::EachEntry {
            self.sync(disk)?;
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Makes sure that everything is on the disk, if that is asked for.
    pub(crate) fn save_point(&mut self, disk: &impl Disk) -> Result<(), TailError> {
        self.check()?;
        if self.unsynced && self.durability != Durability::Never { self.sync(disk) } else { Ok(()) }
    }

    fn check(&self) -> Result<(), TailError> {
        self.broken.clone().map_or(Ok(()), |reason| Err(TailError::Broken(reason)))
    }

    /// After a failed `fsync` nobody knows what is on the disk, and a second one may lie.
    fn sync(&mut self, disk: &impl Disk) -> Result<(), TailError> {
        let synced = disk.sync();
        self.unsynced = false;
        synced
            .map_err(|error| self.break_off(format!("the disk did not confirm that it has the last entries: {error}")))
    }

    /// Removes the half line that a failed write may have left.
    fn take_back(&mut self, disk: &impl Disk, error: io::Error) -> TailError {
        let cut = disk.cut(self.end).and_then(|()| disk.length());
        match cut {
            Ok(length) if length == self.end => TailError::Failed(error),
            Ok(length) => self.break_off(format!("a write failed ({error}) and left {length} bytes")),
            Err(second) => self.break_off(format!("a write failed ({error}), and what it left stayed: {second}")),
        }
    }

    fn break_off(&mut self, reason: String) -> TailError {
        self.broken = Some(reason.clone());
        TailError::Broken(reason)
    }
}
