//! How long a conversation is at any time, and what it was shortened to last.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seam_loop::Message;

use super::{Files, Meter};
use crate::moment::Conversation;
use crate::stored::Shortened;

/// What a compaction left of what was said before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shortening {
    /// The summary.
    pub(crate) summary: String,
    /// The files it names, if it is ours.
    pub(crate) files: Files,
}

/// The length of a conversation that goes on. A run and its owner share it.
#[derive(Debug, Default)]
pub(crate) struct Length(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    meter: Meter,
    /// What it begins with, and how many messages were there then.
    shortened: Option<(Shortening, usize)>,
    /// How long it was when shortening it by itself did not help.
    in_vain_at: Option<u64>,
}

impl Length {
    /// That of a conversation with these messages.
    pub(crate) fn begin(&self, messages: &[Arc<Message>], shortened: Option<Shortened>) {
        let mut meter = Meter::default();
        let old = shortened.as_ref().map_or(0, |shortened| shortened.old);
        let (before, since) = messages.split_at_checked(old).unwrap_or((messages, &[]));
        meter.take_old(before);
        meter.take(since);
        let shortened = shortened.map(|Shortened { shortening, old }| (shortening, old));
        *self.lock() = State { meter, shortened, in_vain_at: None };
    }

    /// In tokens, now.
    pub(crate) fn tokens(&self, conversation: &Arc<Conversation>) -> u64 {
        let at = conversation.moment();
        let mut state = self.lock();
        let new = at.slice(state.meter.seen()..at.length());
        state.meter.take(&new);
        state.meter.tokens()
    }

    /// What it was shortened to last, and how many messages were there then.
    pub(crate) fn shortened(&self) -> Option<(Shortening, usize)> {
        self.lock().shortened.clone()
    }

    /// Shortening it by itself did not help, when it was as long as this.
    pub(crate) fn was_in_vain(&self, tokens: u64) {
        self.lock().in_vain_at = Some(tokens);
    }

    /// Whether it may help by now: it has become so much longer since.
    pub(crate) fn has_grown(&self, tokens: u64, by: u64) -> bool {
        self.lock().in_vain_at.is_none_or(|then| tokens > then + by)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
