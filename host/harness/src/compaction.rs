//! Making a conversation shorter: how long it is, where it is cut, and what a model is asked to keep of the rest.
//!
//! Everything here is arithmetic and words: nothing asks anybody, and nothing is stored. The rules are those of the
//! reference (estimates, cut points, split turns, lists of files); where the reference gives up, the text says so.

mod cut;
mod estimate;
mod files;
mod length;
mod prompts;
mod serialise;

pub(crate) use cut::{Cut, Room};
pub(crate) use estimate::{Meter, message as tokens, text as text_tokens};
pub(crate) use files::Files;
pub(crate) use length::{Length, Shortening};
pub(crate) use prompts::{Focus, SYSTEM, branch, history, joined, left_branch, turn};
pub(crate) use serialise::conversation;

use seam_loop::{Message, StopReason};

/// When a conversation is made shorter by itself, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether it is made shorter when it is nearly too long. A user can ask for it either way.
    pub enabled: bool,
    /// So many tokens of the model's window stay free for its answer.
    pub reserve_tokens: u32,
    /// About so many tokens at the end are kept as they are.
    pub keep_recent_tokens: u32,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self { enabled: true, reserve_tokens: 16_384, keep_recent_tokens: 20_000 }
    }
}

impl CompactionSettings {
    /// The same for a window of this size: in a small one less stays free, and less is kept.
    pub(crate) fn within(&self, window: u32) -> Self {
        let taken = u64::from(self.reserve_tokens) + u64::from(self.keep_recent_tokens);
        if taken < u64::from(window) {
            return *self;
        }
        let reserve_tokens = self.reserve_tokens.min(window / 4).max(1);
        Self { reserve_tokens, keep_recent_tokens: self.keep_recent_tokens.min(window / 2), ..*self }
    }

    /// How many tokens may be in a window of this size before it is too full.
    pub(crate) fn most(&self, window: u32) -> u64 {
        u64::from(window.saturating_sub(self.reserve_tokens))
    }

    /// How long the summary of everything before may get.
    pub(crate) fn for_history(&self) -> u32 {
        self.reserve_tokens / 5 * 4
    }

    /// How long the summary of the beginning of a turn may get.
    pub(crate) fn for_turn(&self) -> u32 {
        self.reserve_tokens / 2
    }
}

/// Whether a message is an answer that did not come to its end. No model is shown it.
pub(crate) fn is_failed(message: &Message) -> bool {
    matches!(message, Message::Assistant(said) if matches!(said.stop_reason, StopReason::Error | StopReason::Aborted))
}

#[cfg(test)]
mod tests;
