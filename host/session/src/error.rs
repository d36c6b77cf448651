//! What can go wrong: what happened, where, and the next step.

use std::io;
use std::path::PathBuf;

/// Why a session could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The file cannot be read at all.
    #[error("cannot open session `{path}`: {source}; check the path and who may read it", path = .path.display())]
    Open {
        /// The session file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error(
        "cannot open session `{path}` for writing: {source}; read it without writing, fork it into another folder, or \
         make the file writable", path = .path.display()
    )]
    OpenForWriting {
        /// The session file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The file cannot be made.
    #[error(
        "cannot create session `{path}`: {source}; choose another folder, or make this one writable",
        path = .path.display()
    )]
    Create {
        /// The session file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file is there already.
    #[error("cannot create session `{path}`: the file exists; open it, or choose another name", path = .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The id is no name for a session.
    #[error(
        "`{id}` cannot be the id of a session: use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends"
    )]
    Id {
        /// The id.
        id: String,
    },
    /// The file is not a session. It was left as it is.
    #[error("`{path}` is not a session file: {reason}; it was left as it is, choose another file", path = .path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// How that was seen.
        reason: String,
    },
    /// A later version than this program knows.
    #[error(
        "session `{path}` has version {version}, and versions 1 to 3 are known here; open it with a newer program",
        path = .path.display()
    )]
    Version {
        /// The session file.
        path: PathBuf,
        /// Its version, as it stands in the header.
        version: String,
    },
    /// An earlier version: it is only read.
    #[error(
        "session `{path}` has version {version}, which is read but not written; fork it, or migrate it into a copy, to go on",
        path = .path.display()
    )]
    OldVersion {
        /// The session file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// Another process writes to the session.
    #[error(
        "session `{path}` is locked: another process has it open for writing; close that one, read the session without \
         writing, or fork it to a new file (the lock is on the file itself and ends with its process)",
        path = .path.display()
    )]
    Locked {
        /// The session file, which carries the lock.
        path: PathBuf,
    },
    /// The lock could not be asked for.
    #[error(
        "cannot lock session `{path}`: {source}; fork it into a folder whose file system has locks",
        path = .path.display()
    )]
    Lock {
        /// The session file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A part of the conversation cannot be read, so nothing is added to it.
    #[error(
        "session `{path}` is damaged and takes no more entries: {first}{}; read it without writing, or fork it: a fork \
         keeps all that can be read", more(*.others), path = .path.display()
    )]
    Damaged {
        /// The session file.
        path: PathBuf,
        /// The first damage, with its line.
        first: String,
        /// How many more there are.
        others: usize,
    },
    /// A cut last line could not be moved away, so it was left.
    #[error(
        "the last line of session `{path}` is cut, and cannot be moved to `{aside}`: {source}; make the folder writable, \
         or read the session without writing", path = .path.display(), aside = .aside.display()
    )]
    KeepAside {
        /// The session file. It was not changed.
        path: PathBuf,
        /// Where the line was to be kept.
        aside: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A line that was read before cannot be read now.
    #[error(
        "cannot read line {line} of session `{path}` again: {source}; was the file changed? open the session again",
        path = .path.display()
    )]
    Read {
        /// The session file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What went wrong.
        source: io::Error,
    },
    /// An entry was not stored. The session is as it was before.
    #[error(
        "the entry was not stored: writing line {line} of session `{path}` failed: {source}; the session is as it was \
         before, so mend the cause and try again", path = .path.display()
    )]
    Write {
        /// The session file.
        path: PathBuf,
        /// The line that was to be written, from 1.
        line: u64,
        /// What the operating system says.
        source: io::Error,
    },
    /// A write failed in a way that leaves open what is on the disk.
    #[error(
        "session `{path}` takes no more entries: {reason}; mend the cause, then open the session again to see what was \
         stored", path = .path.display()
    )]
    Poisoned {
        /// The session file.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
    /// Another program wrote to the file, without a lock.
    #[error(
        "the entry was not stored: another program changed session `{path}`, which should have {expected} bytes and has \
         {found}; end that program and open the session again", path = .path.display()
    )]
    Changed {
        /// The session file.
        path: PathBuf,
        /// Its length after the last entry of ours.
        expected: u64,
        /// Its length now.
        found: u64,
    },
    /// The entry is longer than any line may be.
    #[error(
        "the entry was not stored: it has {bytes} bytes, and a line of session `{path}` has at most {limit}; shorten it",
        path = .path.display()
    )]
    TooLong {
        /// The session file.
        path: PathBuf,
        /// The length of the entry's line.
        bytes: usize,
        /// The most a line may have.
        limit: u64,
    },
    /// The entry would not be an entry when read again.
    #[error("the entry was not stored in session `{path}`: its line {reason}; correct it", path = .path.display())]
    NotStorable {
        /// The session file.
        path: PathBuf,
        /// What a reader would say about it.
        reason: String,
    },
    /// There is no such entry.
    #[error("session `{path}` has no entry `{id}`; choose one of its entries", path = .path.display())]
    NoEntry {
        /// The session file.
        path: PathBuf,
        /// The id that was asked for.
        id: String,
    },
    /// A compaction keeps entries of the branch that it ends.
    #[error(
        "entry `{id}` of session `{path}` is not on the branch to the leaf, so a compaction cannot keep from there; \
         choose an entry of the branch", path = .path.display()
    )]
    NotOnBranch {
        /// The session file.
        path: PathBuf,
        /// The entry.
        id: String,
    },
    /// A fork before an entry starts with the user's next words, so the entry has to be a user message.
    #[error(
        "session `{path}` cannot be forked before entry `{id}`, which is not a user message; fork it at that entry",
        path = .path.display()
    )]
    NotUserMessage {
        /// The session file.
        path: PathBuf,
        /// The entry.
        id: String,
    },
}

fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" (and {others} more)") }
}
