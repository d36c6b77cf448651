//! What plugins have used up of what they may have: tokens in a conversation, and words to the user and questions in a
//! minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many notices a minute are shown, and how often a minute a status changes.
const WORDS: u32 = 60;
/// How many questions a minute the user is asked.
const QUESTIONS: u32 = 20;

/// Of all plugins of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Accounts(Mutex<HashMap<Arc<str>, Account>>);

#[derive(Debug, Default)]
struct Account {
    /// The tokens it took, and those that are kept for what it asks now.
    tokens: u64,
    notices: Minute,
    statuses: Minute,
    questions: Minute,
    /// Whether its status is shown.
    has_status: bool,
}

/// What there was in the running minute.
#[derive(Debug, Default)]
struct Minute {
    began: Option<Instant>,
    count: u32,
}

/// Whether something is said to the user, or asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It is.
    Yes,
    /// It is the first one too many of its minute.
    NoMore,
    /// It is one more of those.
    No,
}

/// Tokens that are kept for a question. When it is dropped, what was not taken is free again.
pub(crate) struct Kept<'a> {
    accounts: &'a Accounts,
    plugin: Arc<str>,
    kept: u64,
    /// What counts when it is dropped: all of it, until more is known.
    taken: u64,
}

impl Accounts {
    /// How many tokens of a budget are left.
    pub(crate) fn left(&self, plugin: &str, budget: u32) -> u32 {
        let taken = self.lock().get(plugin).map_or(0, |account| account.tokens);
        u32::try_from(u64::from(budget).saturating_sub(taken)).unwrap_or(u32::MAX)
    }

    /// Keeps so many tokens of a budget, if they are left.
    pub(crate) fn keep(&self, plugin: &Arc<str>, budget: u32, tokens: u64) -> Option<Kept<'_>> {
        let mut accounts = self.lock();
        let account = accounts.entry(Arc::clone(plugin)).or_default();
        let all = account.tokens.checked_add(tokens).filter(|all| *all <= budget.into())?;
        account.tokens = all;
        Some(Kept { accounts: self, plugin: Arc::clone(plugin), kept: tokens, taken: tokens })
    }

    /// Counts a notice.
    pub(crate) fn notice(&self, plugin: &Arc<str>) -> Heard {
        self.lock().entry(Arc::clone(plugin)).or_default().notices.take(WORDS)
    }

    /// Counts a question.
    pub(crate) fn question(&self, plugin: &Arc<str>) -> Heard {
        self.lock().entry(Arc::clone(plugin)).or_default().questions.take(QUESTIONS)
    }

    /// Counts a status. One that takes away what is shown always counts, and one that takes away nothing never does.
    pub(crate) fn status(&self, plugin: &Arc<str>, is_empty: bool) -> bool {
        let mut accounts = self.lock();
        let account = accounts.entry(Arc::clone(plugin)).or_default();
        let heard = if is_empty { account.has_status } else { account.statuses.take(WORDS) == Heard::Yes };
        if heard {
            account.has_status = !is_empty;
        }
        heard
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Minute {
    /// Counts one more, of at most so many.
    fn take(&mut self, most: u32) -> Heard {
        const MINUTE: Duration = Duration::from_secs(60);
        if self.began.is_none_or(|began| began.elapsed() >= MINUTE) {
            *self = Self { began: Some(Instant::now()), count: 0 };
        }
        self.count = self.count.saturating_add(1);
        match self.count.saturating_sub(most) {
            0 => Heard::Yes,
            1 => Heard::NoMore,
            _ => Heard::No,
        }
    }
}

impl Kept<'_> {
    /// It took so many: also more than were kept.
    pub(crate) fn takes(&mut self, tokens: u64) {
        self.taken = tokens;
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(account) = self.accounts.lock().get_mut(&self.plugin) {
            account.tokens = account.tokens.saturating_sub(self.kept).saturating_add(self.taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_nobody_elses_and_what_is_not_taken_is_free_again() {
        let (accounts, plugin) = (Accounts::default(), Arc::from("p"));
        let first = accounts.keep(&plugin, 100, 60).unwrap();
        assert!(accounts.keep(&plugin, 100, 41).is_none());
        let mut second = accounts.keep(&plugin, 100, 40).unwrap();
        assert_eq!((accounts.left("p", 100), accounts.left("other", 100)), (0, 100));
        second.takes(10);
        drop(second);
        assert_eq!(accounts.left("p", 100), 30);
        // What was given up may have cost all of it.
        drop(first);
        assert_eq!(accounts.left("p", 100), 30);
        let mut third = accounts.keep(&plugin, 100, 30).unwrap();
        third.takes(31);
        drop(third);
        assert_eq!(accounts.left("p", 100), 0);
        assert!(accounts.keep(&plugin, 100, 0).is_none() && accounts.keep(&plugin, 100, u64::MAX).is_none());
    }

    #[test]
    fn words_are_counted_by_the_minute() {
        let (accounts, plugin) = (Accounts::default(), Arc::from("p"));
        let heard: Vec<Heard> = (0..WORDS + 2).map(|_| accounts.notice(&plugin)).collect();
        assert!(heard[..WORDS as usize].iter().all(|heard| *heard == Heard::Yes));
        assert_eq!(heard[WORDS as usize..], [Heard::NoMore, Heard::No]);
        accounts.lock().get_mut("p").unwrap().notices.began = Instant::now().checked_sub(Duration::from_secs(60));
        assert_eq!(accounts.notice(&plugin), Heard::Yes);
    }

    #[test]
    fn a_status_can_always_be_taken_away_once() {
        let (accounts, plugin) = (Accounts::default(), Arc::from("p"));
        assert!(!accounts.status(&plugin, true));
        assert!((0..WORDS).all(|_| accounts.status(&plugin, false)));
        assert!(!accounts.status(&plugin, false));
        assert!(accounts.status(&plugin, true) && !accounts.status(&plugin, true));
    }
}
