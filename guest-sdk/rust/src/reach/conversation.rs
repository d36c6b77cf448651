//! The messages of the conversation: the import `conversation`. Always granted; shown by the audit.
//!
//! A view of the running call: before a request what the model would be shown, at an observer what there was when it
//! happened, else what is stored. It does not change during a call.
//!
//! ```
//! # use seam::{Message, conversation, testing};
//! # testing::set_conversation([Message::user("hello"), Message::user("again")]);
//! let asked = conversation::messages().filter(|message| matches!(message, Message::User(_))).count();
//! # assert_eq!(asked, 2);
//! ```

use crate::{Message, Range};

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::conversation as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::conversation as import;

pub use crate::bindings::reach::seam::harness::conversation::{Kind, OutlineEntry};

/// How many messages one read takes: a few crossings, and never the whole conversation at once.
const PIECE: u32 = 32;
/// The most entries that one read of the outline gives.
const OUTLINE: u32 = 4096;

/// How many messages there are.
pub fn length() -> u32 {
    import::length()
}

/// The message at a place, from 0; `None` beyond the last.
pub fn get(index: u32) -> Option<Message> {
    import::get(index)
}

/// The messages at these places, as many as there are.
pub fn slice(places: impl Into<Range>) -> Messages {
    let Range { start, end } = places.into();
    Messages { next: start, end: end.min(length()), piece: Vec::new().into_iter() }
}

/// All messages from the first on, read piece by piece.
pub fn messages() -> Messages {
    slice(0..u32::MAX)
}

/// All messages in short, in as many reads as it takes.
pub fn outline() -> Vec<OutlineEntry> {
    let length = length();
    let starts = (0..length).step_by(OUTLINE as usize);
    starts.flat_map(|start| import::outline(start, length.min(start + OUTLINE))).collect()
}

/// Messages, read piece by piece.
#[derive(Debug)]
pub struct Messages {
    next: u32,
    end: u32,
    piece: std::vec::IntoIter<Message>,
}

impl Iterator for Messages {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        if self.piece.len() == 0 && self.next < self.end {
            let end = self.end.min(self.next.saturating_add(PIECE));
            self.piece = import::slice(self.next, end).into_iter();
        }
        // A piece may be shorter than asked for: the next one begins where it ends.
        let message = self.piece.next();
        self.next += u32::from(message.is_some());
        message
    }
}
