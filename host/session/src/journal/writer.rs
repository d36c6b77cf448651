//! The segment that is written: one line at a time, each in one write.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::journal::fields::Store;
use crate::journal::seal::{self, Hash};
use crate::journal::{JournalError, blobs};
use crate::lines::MAX_LINE;
use crate::time;

/// The end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// How many lines there are.
    pub(crate) n: u64,
    /// The hash of the last one.
    pub(crate) hash: Hash,
}

impl Chain {
    pub(crate) const NEW: Self = Self { n: 0, hash: seal::NONE };
}

#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    file: File,
    /// How long the segment is.
    end: u64,
    chain: Chain,
    line: Vec<u8>,
    /// The values that this process has stored in this segment.
    stored: HashSet<Hash>,
    /// Something was written that may not be on the disk.
    unsynced: bool,
    /// The file's name may not be on the disk.
    unnamed: bool,
}

impl Writer {
    pub(crate) fn new(path: PathBuf, file: File, end: u64, chain: Chain) -> Self {
        let (line, stored) = (Vec::new(), HashSet::new());
        Self { path, file, end, chain, line, stored, unsynced: false, unnamed: end == 0 }
    }

    pub(crate) fn chain(&self) -> Chain {
        self.chain
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Appends a line of these fields, all of it or nothing.
    pub(crate) fn append(&mut self, fields: &[u8]) -> Result<(), JournalError> {
        let n = self.chain.n + 1;
        self.line.clear();
        let _written = write!(self.line, r#"{{"n":{n},"time":{},"#, time::now());
        self.line.extend_from_slice(fields);
        let hash = seal::seal(&mut self.line, &self.chain.hash);
        self.check()?;
        self.line.push(b'\n');
        if let Err(error) = (&self.file).write_all(&self.line) {
            let _half = self.file.set_len(self.end);
            return Err(self.failed("written", error));
        }
        self.end += self.line.len() as u64;
        self.chain = Chain { n, hash };
        self.unsynced = true;
        Ok(())
    }

    /// Nothing is written that could not be read.
    fn check(&self) -> Result<(), JournalError> {
        let reason = if memchr::memchr(b'\n', &self.line).is_some() {
            "a value for it has a line end in it"
        } else if self.line.len() as u64 > MAX_LINE {
            "a line would be longer than a line may be"
        } else {
            return Ok(());
        };
        Err(JournalError::Broken { path: self.path.clone(), reason: reason.to_owned() })
    }

    /// Whether the file still is the one that was written.
    pub(crate) fn is_there(&self) -> Result<(), JournalError> {
        let found = self.file.metadata().map_err(|error| self.failed("looked at", error))?;
        let reason = if found.nlink() == 0 {
            "the file was removed".to_owned()
        } else if found.len() != self.end {
            format!("somebody else wrote to it: it has {} bytes, not {}", found.len(), self.end)
        } else {
            return Ok(());
        };
        Err(JournalError::Broken { path: self.path.clone(), reason })
    }

    /// Makes sure that everything is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), JournalError> {
        if self.unsynced {
            self.file.sync_data().map_err(|error| self.failed("confirmed by the disk", error))?;
            self.unsynced = false;
        }
        if self.unnamed {
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let synced = File::open(folder.unwrap_or(".".as_ref())).and_then(|folder| folder.sync_all());
            synced.map_err(|error| self.failed("confirmed by the disk", error))?;
            self.unnamed = false;
        }
        Ok(())
    }

    /// Gives the file another name. It is finished.
    pub(crate) fn close_as(&mut self, path: &std::path::Path) -> Result<(), JournalError> {
        self.sync()?;
        fs::rename(&self.path, path).map_err(|error| self.failed("renamed", error))
    }

    fn failed(&self, done: &'static str, source: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), done, source }
    }
}

impl Store for Writer {
    fn store(&mut self, json: &str) -> Result<String, JournalError> {
        let hash = seal::hash(json.as_bytes());
        let reference = blobs::reference(&hash);
        if !self.stored.contains(&hash) {
            let digest = seal::text(&hash);
            self.append(format!(r#""kind":"blob","digest":"{digest}","value":{json}"#).as_bytes())?;
            self.stored.insert(hash);
        }
        Ok(reference)
    }
}
