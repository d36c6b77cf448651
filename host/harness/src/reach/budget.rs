//! What a plugin may do in one run, counted. A run is what follows from one thing that the user says; what happens between
//! two counts with the first of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::moment::{Conversation, Moment};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounded {
    /// Writes to `state`, with how many bytes each.
    State(usize),
    /// Entries, labels and names in the session.
    Entry,
    /// Messages.
    Message,
    /// Choices of model, thinking level and tools.
    Choice,
}

impl Bounded {
    /// How many there may be in a run.
    const fn most(self) -> u32 {
        match self {
            Self::State(_) | Self::Entry => 1000,
            Self::Message | Self::Choice => 100,
        }
    }
}

/// How many bytes of state a plugin may write in a run.
const STATE_BYTES: usize = 16 << 20;

/// What one plugin has used.
#[derive(Debug, Default)]
struct Used {
    states: u32,
    state_bytes: usize,
    entries: u32,
    messages: u32,
    choices: u32,
}

impl Used {
    /// Takes one, if there is one left.
    fn take(&mut self, one: Bounded) -> bool {
        let bytes = if let Bounded::State(bytes) = one { self.state_bytes.saturating_add(bytes) } else { 0 };
        let used = match one {
            Bounded::State(_) => &mut self.states,
            Bounded::Entry => &mut self.entries,
            Bounded::Message => &mut self.messages,
            Bounded::Choice => &mut self.choices,
        };
        if *used >= one.most() || bytes > STATE_BYTES {
            return false;
        }
        *used += 1;
        self.state_bytes = self.state_bytes.max(bytes);
        true
    }
}

/// What all plugins have used.
#[derive(Debug, Default)]
pub(crate) struct Budgets(Mutex<BTreeMap<Arc<str>, Used>>);

impl Conversation {
    /// A run begins.
    pub(crate) fn begin_run(&self) {
        self.budgets.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Takes one of what a plugin may do in a run. Gives whether there was one left.
    #[must_use = "what is not left is not done"]
    pub(crate) fn may(&self, plugin: &Arc<str>, one: Bounded) -> bool {
        let mut budgets = self.budgets.0.lock().unwrap_or_else(PoisonError::into_inner);
        budgets.entry(Arc::clone(plugin)).or_default().take(one)
    }
}

impl Moment {
    /// Whether a plugin may write so many bytes to its state in this run: 1,000 times, and 16 MiB in all.
    #[must_use = "what is not left is not done"]
    pub fn may_write_state(&self, plugin: &Arc<str>, bytes: usize) -> bool {
        self.conversation().may(plugin, Bounded::State(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_a_bound_of_its_own_for_each_plugin_and_run() {
        let (conversation, plugins) = (Conversation::new("s"), ["p", "q"].map(Arc::<str>::from));
        let all = [(Bounded::State(1), 1000), (Bounded::Entry, 1000), (Bounded::Message, 100), (Bounded::Choice, 100)];
        for _run in 0..2 {
            for (one, most) in all {
                let taken =
                    plugins.each_ref().map(|plugin| (0..2000).filter(|_| conversation.may(plugin, one)).count());
                assert_eq!(taken, [most; 2], "{one:?}");
            }
            conversation.begin_run();
        }
    }

    #[test]
    fn what_is_written_to_the_state_is_bounded_in_bytes_too() {
        let (conversation, plugin) = (Conversation::new("s"), "p".into());
        let taken = [STATE_BYTES - 5, 6, 5, 1, 0].map(|bytes| conversation.may(&plugin, Bounded::State(bytes)));
        assert_eq!(taken, [true, false, true, false, true]);
    }
}
