//! What a reader found out about a file that is not as it should be. Nothing is dropped without one of these.

use std::fmt;
use std::path::PathBuf;

/// Something in a session file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The line it is about, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The last line is cut: its writer ended in the middle of it. It was left out.
    Torn {
        /// How long it is.
        bytes: u64,
        /// Where it is now, if it was cut off.
        kept: Option<PathBuf>,
    },
    /// The last line is whole but its line end was missing.
    NoLineEnd,
    /// Bytes that are no UTF-8. They are read as U+FFFD; the file keeps them.
    NotUtf8,
    /// Half a surrogate pair. It is read as U+FFFD; the file keeps it.
    HalfPair,
    /// An entry of a type that is not known here. It is kept in the tree and adds nothing to the context.
    UnknownType {
        /// The type.
        name: String,
        /// How many entries of it there are. The line is the first one's.
        count: usize,
    },
    /// The entry names a parent that is not in the file before it. Its branch begins with it.
    NoParent(String),
    /// The line is no entry. It was left out.
    Bad(String),
}

impl Problem {
    /// Whether the session is only read because of this: a part of the conversation is missing.
    pub fn forbids_writing(&self) -> bool {
        matches!(self, Self::NoParent(_) | Self::Bad(_))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} {}", self.line, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn { bytes, kept: None } => write!(f, "is cut after {bytes} bytes and was left out"),
            Self::Torn { bytes, kept: Some(path) } => {
                write!(f, "was cut after {bytes} bytes; they were moved to `{}`", path.display())
            }
            Self::NoLineEnd => write!(f, "has no line end"),
            Self::NotUtf8 => write!(f, "has bytes that are no UTF-8; they are read as U+FFFD"),
            Self::HalfPair => write!(f, "has half a surrogate pair; it is read as U+FFFD"),
            Self::UnknownType { name, count: 1 } => write!(f, "is of the unknown type `{name}`; it is kept"),
            Self::UnknownType { name, count } => {
                write!(f, "is the first of {count} of the unknown type `{name}`; they are kept")
            }
            Self::NoParent(id) => write!(f, "names the parent `{id}`, which is not in the file before it"),
            Self::Bad(reason) => write!(f, "{reason}"),
        }
    }
}
