//! A session that is read. No lock is needed for it, and nothing is written.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem::{self, Finder};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::entry::{Entry, EntryKind, Parent};
use crate::file::only_files;
use crate::index::{Index, Ready};
use crate::line::Message;
use crate::lines::Place;
use crate::load::{self, Ending};
use crate::mend::mended;
use crate::migrate::migrate;
use crate::notice::Notice;
use crate::window::Window;
use crate::{Context, Header, Reduction, SessionError, context};

#[cfg(test)]
mod tests;

/// A session file that was read: the tree of its entries, and what it is reduced to.
///
/// It is as it was when it was read. What a writer adds later is not in it.
#[derive(Debug)]
pub struct Session {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) header: Header,
    pub(crate) index: Index,
    pub(crate) reduction: Reduction,
    pub(crate) notices: Vec<Notice>,
    /// How many lines the file has, and how many bytes.
    pub(crate) lines: u64,
    pub(crate) end: u64,
    pub(crate) ending: Ending,
}

impl Session {
    /// Reads a session, of any version. What is wrong with single lines is in [`notices`](Self::notices).
    ///
    /// # Errors
    ///
    /// When there is no such file, or it is no session.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, SessionError> {
        let path = path.into();
        only_files(&path)?;
        let file = File::open(&path).map_err(|source| SessionError::Open { path: path.clone(), source })?;
        load::load(file, path)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The first line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What is not as it should be, in the order of the lines.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// All entries of all branches, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        self.index.entries()
    }

    /// An entry by its id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.index.find(id).and_then(|index| self.index.get(index))
    }

    /// The entry that an entry hangs below. Nothing for a root, and for one whose parent is not in the file.
    pub fn parent(&self, entry: &Entry) -> Option<&Entry> {
        if let Parent::Entry(parent) = entry.parent { self.index.get(parent) } else { None }
    }

    /// Where the next entry hangs. Nothing: it will be a root.
    pub fn leaf(&self) -> Option<&Entry> {
        self.index.leaf().and_then(|leaf| self.index.get(leaf))
    }

    /// The entries from the root to the leaf.
    pub fn branch(&self) -> impl Iterator<Item = &Entry> {
        self.reduction.path().iter().filter_map(|index| self.index.get(*index))
    }

    /// The name that was given last, on whatever branch.
    pub fn name(&self) -> Option<&str> {
        self.index.name()
    }

    /// Every entry that has a label, with its label.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.index.labels().iter().map(|(id, label)| (&**id, &**label))
    }

    /// The settings at the leaf, without reading a message.
    pub fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// What the branch to the leaf is reduced to. Its messages are read from the file.
    ///
    /// # Errors
    ///
    /// When the file was changed behind our back.
    pub fn context(&self) -> Result<Context, SessionError> {
        Context::of(self, &self.reduction)
    }

    /// Gives each message of [`context`](Self::context) in turn, and the id of its entry, so that they need not be in
    /// memory together.
    ///
    /// # Errors
    ///
    /// When the file was changed behind our back.
    pub fn each_message(&self, take: impl FnMut(Value, &Arc<str>)) -> Result<(), SessionError> {
        context::each(self, &self.reduction, take)
    }

    /// Gives the messages of these entries in whose lines a word stands, in the order of the file, whatever branch they are
    /// on. Others are not parsed; but some of those in whose lines the word may be escaped are given, too. The word has
    /// only ASCII letters.
    ///
    /// # Errors
    ///
    /// When the file was changed behind our back.
    pub fn each_message_of(
        &self,
        is_wanted: impl Fn(&Entry) -> bool,
        word: &str,
        mut take: impl FnMut(Value),
    ) -> Result<(), SessionError> {
        let is_message = |entry: &&Entry| matches!(entry.kind, EntryKind::Message { .. });
        let (mut window, finder) = (Window::new(&self.file), Finder::new(word));
        for entry in self.entries().iter().filter(is_message).filter(|entry| is_wanted(entry)) {
            let line = window.line(entry.place).map_err(|source| self.unreadable(entry.place, source))?;
            if finder.find(line).is_some() || may_have_letters(line) {
                let Message(message) = self.parsed(entry, line)?;
                take(message);
            }
        }
        Ok(())
    }

    /// Gives the data of each entry of an extension's type on the branch to the leaf, in its order.
    ///
    /// # Errors
    ///
    /// When the file was changed behind our back.
    pub fn each_custom(&self, custom_type: &str, mut take: impl FnMut(Value)) -> Result<(), SessionError> {
        let is_wanted = |entry: &&Entry| matches!(&entry.kind, EntryKind::Custom { custom_type: Some(there) } if &**there == custom_type);
        for entry in self.branch().filter(is_wanted) {
            if let Some(data) = self.fields(entry)?.shift_remove("data") {
                take(data);
            }
        }
        Ok(())
    }

    /// What the branch to another entry is reduced to.
    ///
    /// # Errors
    ///
    /// When there is no such entry, or the file was changed behind our back.
    pub fn context_at(&self, id: &str) -> Result<Context, SessionError> {
        let index = self.known(id)?;
        Context::of(self, &Reduction::of(&self.index, Some(index)))
    }

    /// An entry as JSON, as version 3 has it.
    ///
    /// # Errors
    ///
    /// When there is no such entry, or the file was changed behind our back.
    pub fn json(&self, id: &str) -> Result<Value, SessionError> {
        let entry = self.known(id).map(|index| self.index.get(index))?;
        entry.map_or(Ok(Value::Null), |entry| self.fields(entry).map(Value::Object))
    }

    pub(crate) fn known(&self, id: &str) -> Result<usize, SessionError> {
        let unknown = || SessionError::NoEntry { path: self.path.clone(), id: id.to_owned() };
        self.index.find(id).ok_or_else(unknown)
    }

    /// The fields of an entry, read from its line.
    pub(crate) fn fields(&self, entry: &Entry) -> Result<Map<String, Value>, SessionError> {
        let mut fields: Map<String, Value> = self.parsed(entry, &self.line(entry)?)?;
        migrate(self.header.version, entry, self.parent(entry), &mut fields);
        Ok(fields)
    }

    /// The message of an entry that is one.
    pub(crate) fn message(&self, entry: &Entry, window: &mut Window<'_>) -> Result<Value, SessionError> {
        if self.header.version < crate::header::VERSION {
            return Ok(self.fields(entry)?.shift_remove("message").unwrap_or_default());
        }
        let line = window.line(entry.place).map_err(|source| self.unreadable(entry.place, source))?;
        self.parsed(entry, line).map(|Message(message)| message)
    }

    fn parsed<T: DeserializeOwned>(&self, entry: &Entry, line: &[u8]) -> Result<T, SessionError> {
        let failed = |error| self.unreadable(entry.place, io::Error::new(io::ErrorKind::InvalidData, error));
        serde_json::from_str(&mended(line)).map_err(failed)
    }

    /// The bytes of an entry's line.
    pub(crate) fn line(&self, entry: &Entry) -> Result<Vec<u8>, SessionError> {
        let place = entry.place;
        let mut line = vec![0; usize::try_from(place.bytes).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut line, place.offset).map_err(|source| self.unreadable(place, source))?;
        Ok(line)
    }

    fn unreadable(&self, place: Place, source: io::Error) -> SessionError {
        SessionError::Read { path: self.path.clone(), line: place.line, source }
    }

    /// Takes in an entry that now stands at the end of the file, below the leaf.
    pub(crate) fn take(&mut self, ready: Ready) {
        let index = self.index.commit(ready);
        if self.index.leaf() == Some(index) {
            self.reduction.push(&self.index, index);
        } else {
            self.reduction = Reduction::of(&self.index, self.index.leaf());
        }
    }
}

/// A quick look: whether letters may be escaped in a line. In nearly none they are.
fn may_have_letters(line: &[u8]) -> bool {
    memmem::find(line, b"\\u00").is_some()
}
