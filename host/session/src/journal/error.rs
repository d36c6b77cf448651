//! What can go wrong with a journal.

use std::io;
use std::path::PathBuf;

/// Why a journal could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// There is none.
    #[error(
        "there is no journal `{path}`: the session is a fork in which nothing was done yet, was made by another program, or \
         was told to keep none", path = .path.display()
    )]
    Absent {
        /// Where it would be.
        path: PathBuf,
    },
    /// A file of it cannot be read or written.
    #[error("journal `{path}` cannot be {done}: {source}; check the disk and who may use the file", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was to be done.
        done: &'static str,
        /// What the operating system says.
        source: io::Error,
    },
    /// The end of it is not as it was written, so nothing can be added.
    #[error(
        "journal `{path}` is damaged: {reason}; look at it with `seam journal verify`, then move it and the files beside it \
         that begin with its name away to go on without them", path = .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A line cannot be read.
    #[error("line {line} of journal `{path}` {reason}; see `seam journal verify`", path = .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line in that file, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A write failed before. Nothing is written from then on.
    #[error("journal `{path}` takes no more lines: {reason}", path = .path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}
