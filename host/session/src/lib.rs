//! The session log: where a conversation is kept so that it survives its process.
//!
//! A session is a file of JSON lines: a header, then one entry a line. Entries form a tree, each names its parent. The
//! leaf is where the next entry hangs. What the model sees is a reduction over the path from the root to the leaf. The
//! format is version 3 of the reference: its files open here with the same context, and ours open there. Versions 1 and
//! 2 are read, and [migrated](SessionLog::migrate) into a copy to go on with them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("seam-session-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("talk.jsonl");
//! use seam_session::{Durability, NewEntry, NewSession, Session, SessionLog};
//! use serde_json::json;
//!
//! let mut log = SessionLog::create(&path, NewSession::new("/work"), Durability::EachEntry)?;
//! let first = log.append(NewEntry::Message(json!({ "role": "user", "content": "Hello" })))?;
//! log.append(NewEntry::Message(json!({ "role": "user", "content": "Hello again" })))?;
//! log.move_to(Some(&first), None)?;
//!
//! let read = Session::read(&path)?;
//! assert_eq!(read.context()?, log.session().context()?);
//! assert_eq!(read.context()?.messages.len(), 1);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Session`] reads and needs no lock. [`SessionLog`] writes: one at a time, under a lock of the operating system on the
//! file itself, which ends with the process.
//!
//! A [`Journal`] beside the file holds what was decided on the way, so that it can be looked at and run again.
//!
//! # What is mended, and what is refused
//!
//! | in the file | reading | writing |
//! |---|---|---|
//! | half a line at the end | left out, with a notice | cut off, kept aside in `FILE.torn-TIME` |
//! | a whole last line without its line end | read | the line end is added |
//! | bytes that are no UTF-8, half a surrogate pair | U+FFFD, with a notice; the file keeps them | goes on |
//! | an entry of an unknown type | kept in the tree, with a notice | goes on |
//! | any other bad line, an entry without its parent | left out, with a notice that has its number | refused |
//!
//! # Architecture invariants
//!
//! - This crate depends on no Wasm and no network crate, and knows neither loop nor plugins.
//! - What it keeps is appended, never rewritten. One entry is one write of one line.
//! - Memory holds facts about entries, not the entries: they are read from the file when they are needed.
//! - What is in memory was stored before: a write that failed changes nothing.
//!
//! Unix only.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod folder;
pub mod journal;

mod context;
mod copy;
mod edits;
mod entry;
mod error;
mod file;
mod header;
mod ids;
mod index;
mod line;
mod lines;
mod load;
mod log;
mod mend;
mod migrate;
mod new_entry;
mod notice;
mod reduction;
mod session;
mod tail;
#[cfg(test)]
mod testing;
pub mod time;
mod torn;
mod window;

pub use context::Context;
pub use copy::ForkPoint;
pub use entry::{Entry, EntryKind, Model};
pub use error::SessionError;
pub use header::{Header, NewSession};
pub use journal::{Journal, JournalBounds, JournalError, leave};
pub use lines::MAX_LINE;
pub use log::SessionLog;
pub use new_entry::{BranchSummary, Compaction, NewEntry};
pub use notice::{Notice, Problem};
pub use reduction::Reduction;
pub use session::Session;
pub use tail::Durability;
