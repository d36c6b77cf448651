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
    written: Option<Head>,
}

impl HeadFile {
    /// Opens it, and makes it say this. A new one gets its name when it says so: it is whole or not there.
    pub(crate) fn open(files: &Files, head: Head) -> Result<Self, JournalError> {
        let path = files.head();
        let is_there = path.exists();
        let at = if is_there { path.clone() } else { path.with_extension("head.new") };
        let opened = OpenOptions::new().write(true).create(true).truncate(!is_there).mode(0o600).open(&at);
        let file = match opened.and_then(|file| file.set_len(LENGTH as u64).map(|()| file)) {
            Ok(file) => file,
            Err(source) => return Err(JournalError::File { path, done: "opened", source }),
        };
        let mut opened = Self { path, file, written: None };
        opened.write(head)?;
        fs::rename(at, &opened.path).map_err(|source| opened.failed(source))?;
        Ok(opened)
    }

    /// Writes it in place, if it says something new.
    pub(crate) fn write(&mut self, head: Head) -> Result<(), JournalError> {
        if self.written != Some(head) {
            let written = self.file.write_all_at(&head.text(), 0);
            written.map_err(|source| self.failed(source))?;
            self.written = Some(head);
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), done: "written", source }
    }
}
