//! How a conversation is kept going when it gets long or the provider fails.

use std::time::Duration;

use crate::compaction::CompactionSettings;

/// How a conversation is kept going.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    /// How many tokens the model can read and write at once.
    pub context_window: u32,
    /// When it is made shorter.
    pub compaction: CompactionSettings,
    /// When the provider is asked again.
    pub retry: RetrySettings,
}

impl Default for Upkeep {
    fn default() -> Self {
        Self { context_window: 128_000, compaction: CompactionSettings::default(), retry: RetrySettings::default() }
    }
}

impl Upkeep {
    /// How many tokens there may be before the conversation is too full.
    pub(crate) fn most(&self) -> u64 {
        self.compaction.most(self.context_window)
    }
}

/// When a provider is asked again that failed in a way which may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// How often, before it is given up.
    pub max: u32,
    /// How long to wait before the first time. Each wait is twice as long as the one before, but no longer than a minute.
    pub base: Duration,
}

/// The longest wait. A provider that wants a longer one is not asked again.
const LONGEST: Duration = Duration::from_secs(60);

impl Default for RetrySettings {
    fn default() -> Self {
        Self { max: 3, base: Duration::from_secs(2) }
    }
}

impl RetrySettings {
    /// How long to wait before the attempt of this number, from 1. None when there is to be no such attempt.
    pub(crate) fn wait(&self, attempt: u32, retry_after: Option<Duration>) -> Option<Duration> {
        let doubled = self.base.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
        let wait = doubled.min(LONGEST).max(retry_after.unwrap_or_default());
        (attempt <= self.max && wait <= LONGEST).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_end() {
        let retry = RetrySettings { max: 7, ..RetrySettings::default() };
        let seconds = |attempt, after: Option<u64>| {
            retry.wait(attempt, after.map(Duration::from_secs)).map(|wait| wait.as_secs())
        };
        let waits: Vec<_> = (1..=8).map(|attempt| seconds(attempt, None)).collect();
        let expected = [Some(2), Some(4), Some(8), Some(16), Some(32), Some(60), Some(60), None];
        assert_eq!(waits, expected);
        // A provider knows better how long, but not for more than a minute.
        assert_eq!((seconds(1, Some(1)), seconds(1, Some(30)), seconds(1, Some(61))), (Some(2), Some(30), None));
        assert_eq!(RetrySettings { max: 0, ..retry }.wait(1, None), None);
    }
}
