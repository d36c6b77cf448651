//! The head: how far the journal was at the last save point. With it, lines that are cut off the end are missed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use serde::Deserialize;

use crate::journal::JournalError;
use crate::journal::files::{self, Files};
use crate::journal::seal::{self, Hash, Seal};

/// It is always so long, so that it is written in place in one write.
const LENGTH: usize = 320;

/// The last line that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) n: u64,
    /// Its hash.
    pub(crate) hash: Hash,
    /// How many times the journal was opened.
    pub(crate) run: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Absent,
    Damaged,
    Head(Head),
}

#[derive(Deserialize)]
struct Fields {
    n: u64,
    run: u64,
}

impl Head {
    fn text(&self) -> Vec<u8> {
        let mut text = format!(r#"{{"n":{},"run":{}"#, self.n, self.run).into_bytes();
        seal::seal(&mut text, &self.hash);
        text.resize(LENGTH - 1, b' ');
        text.push(b'\n');
        text
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = bytes.trim_ascii_end();
        let fields: Fields = serde_json::from_slice(text).ok()?;
        let head = Self { n: fields.n, run: fields.run, hash: Seal::of(text)?.prev };
        (head.text() == bytes).then_some(head)
    }
}

/// Reads the head.
pub(crate) fn read(files: &Files) -> Result<Found, JournalError> {
    let path = files.head();
    let Some(file) = files::read(&path)? else { return Ok(Found::Absent) };
    let mut bytes = Vec::new();
    let read = file.take(LENGTH as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| JournalError::File { path, done: "read", source })?;
    Ok(Head::parse(&bytes).map_or(Found::Damaged, Found::Head))
}

/// The file that the head stands in.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
    file: File,
    /// The name of a new one until it says something: it is whole or not there.
    new: Option<PathBuf>,
    written: Option<Head>,
}

impl HeadFile {
    /// Opens it. What it says stays.
    pub(crate) fn open(files: &Files) -> Result<Self, JournalError> {
        let path = files.head();
        let new = (!path.exists()).then(|| path.with_extension("head.new"));
        let (at, is_new) = (new.as_ref().unwrap_or(&path), new.is_some());
        let opened = OpenOptions::new().write(true).create(true).truncate(is_new).mode(0o600).open(at);
        match opened {
            Ok(file) => Ok(Self { path, file, new, written: None }),
            Err(source) => Err(JournalError::File { path, done: "opened", source }),
        }
    }

    /// Writes it in place, if it says something new.
    pub(crate) fn write(&mut self, head: Head) -> Result<(), JournalError> {
        if self.written != Some(head) {
            self.put(head).map_err(|source| self.failed(source))?;
            self.written = Some(head);
        }
        Ok(())
    }

    fn put(&mut self, head: Head) -> io::Result<()> {
        if self.written.is_none() {
            self.file.set_len(LENGTH as u64)?;
        }
        self.file.write_all_at(&head.text(), 0)?;
        self.new.take().map_or(Ok(()), |new| fs::rename(new, &self.path))
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), done: "written", source }
    }
}
