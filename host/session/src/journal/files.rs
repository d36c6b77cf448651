//! Where a journal is: files beside its session.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::journal::JournalError;

/// The names of a journal's files. `X.journal` is written, `X.journal.1` and so on were closed.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    current: PathBuf,
}

impl Files {
    /// Those of a session. They are beside the file itself, whatever link leads to it.
    pub(crate) fn of(session: &Path) -> Self {
        let is_link = fs::symlink_metadata(session).is_ok_and(|file| file.is_symlink());
        let canonical = if is_link { session.canonicalize().ok() } else { None };
        let session = canonical.as_deref().unwrap_or(session);
        let mut name = OsString::from(session.file_stem().unwrap_or_default());
        if session.extension().is_some_and(|extension| extension != "jsonl") {
            name = session.file_name().unwrap_or_default().to_owned();
        }
        name.push(".journal");
        Self { current: session.with_file_name(name) }
    }

    /// The segment that is written.
    pub(crate) fn current(&self) -> &Path {
        &self.current
    }

    /// A segment that was closed.
    pub(crate) fn closed(&self, segment: u64) -> PathBuf {
        self.with(&segment.to_string())
    }

    /// Where the end of the chain is noted.
    pub(crate) fn head(&self) -> PathBuf {
        self.with("head")
    }

    fn with(&self, end: &str) -> PathBuf {
        let mut name = self.current.clone().into_os_string();
        name.push(format!(".{end}"));
        name.into()
    }

    /// The folder that they are in.
    pub(crate) fn folder(&self) -> &Path {
        self.current.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The numbers of the segments that were closed and are there, in order.
    pub(crate) fn list(&self) -> Result<Vec<u64>, JournalError> {
        let listed = self.numbers();
        listed.map_err(|source| JournalError::File { path: self.folder().to_owned(), done: "looked for", source })
    }

    fn numbers(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for file in fs::read_dir(self.folder())? {
            numbers.extend(self.number(&file?.path()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The number of a segment that was closed, if the file is one.
    fn number(&self, path: &Path) -> Option<u64> {
        let number = path.extension()?.to_str()?.parse().ok()?;
        (path.file_name() == self.closed(number).file_name()).then_some(number)
    }
}

/// Opens a file for reading and adding to its end, or makes it. Only its owner may read it.
pub(crate) fn open(path: &Path, new: bool) -> Result<File, JournalError> {
    let opened = OpenOptions::new().read(true).append(true).create_new(new).mode(0o600).open(path);
    opened.map_err(|source| JournalError::File { path: path.to_owned(), done: "opened", source })
}

/// Opens a file for reading. Nothing: it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<File>, JournalError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(JournalError::File { path: path.to_owned(), done: "read", source }),
    }
}
