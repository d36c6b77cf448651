//! How a conversation is kept going when it gets long or the provider fails.

use std::time::Duration;

use seam_loop::{Model, Provider};

use crate::compaction::CompactionSettings;

/// How a conversation is kept going.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Upkeep {
    /// How many tokens the model can read and write at once; none for what its provider knows of it.
    pub context_window: Option<u32>,
    /// When it is made shorter.
    pub compaction: CompactionSettings,
    /// When the provider is asked again.
    pub retry: RetrySettings,
}

/// The window of a model of which nobody knows it, in tokens.
const USUAL_WINDOW: u32 = 128_000;

/// The space that a conversation has with one model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    /// How many tokens the model can read and write at once.
    pub(crate) window: u32,
    /// What is made of it.
    pub(crate) compaction: CompactionSettings,
}

impl Upkeep {
    /// The space with this model.
    pub(crate) fn space(&self, provider: &dyn Provider, model: &Model) -> Space {
        let window = self.context_window.or_else(|| provider.window(model)).unwrap_or(USUAL_WINDOW);
        Space { window, compaction: self.compaction.within(window) }
    }
}

impl Space {
    /// How many tokens there may be before the conversation is too full.
    pub(crate) fn most(&self) -> u64 {
        self.compaction.most(self.window)
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
    use async_trait::async_trait;
    use seam_loop::provider::ResponseStream;
    use seam_loop::{CancellationToken, ProviderError, Request};

    use super::*;

    /// A provider that knows one model.
    struct Knows(u32);

    #[async_trait]
    impl Provider for Knows {
        fn names(&self) -> Vec<&str> {
            vec!["p"]
        }

        fn window(&self, model: &Model) -> Option<u32> {
            (model.id == "known").then_some(self.0)
        }

        async fn stream(&self, _: Request<'_>, _: &CancellationToken) -> Result<ResponseStream, ProviderError> {
            Err(ProviderError::new("it is not asked"))
        }
    }

    fn space(set: Option<u32>, known: u32, model: &str) -> Space {
        let model = Model { provider: "p".to_owned(), id: model.to_owned() };
        Upkeep { context_window: set, ..Upkeep::default() }.space(&Knows(known), &model)
    }

    #[test]
    fn a_window_is_what_is_set_or_what_is_known_or_the_usual_one() {
        let windows = [
            space(Some(50_000), 200_000, "known"),
            space(None, 200_000, "known"),
            space(None, 200_000, "unknown"),
            space(Some(50_000), 200_000, "unknown"),
        ];
        assert_eq!(windows.map(|space| space.window), [50_000, 200_000, USUAL_WINDOW, 50_000]);
        assert!(windows.iter().all(|space| space.compaction == CompactionSettings::default()));
        assert_eq!(windows.map(|space| space.most()), [33_616, 183_616, 111_616, 33_616]);
    }

    /// Local servers have such windows: the usual reserve alone would be more than there is.
    #[test]
    fn in_a_small_window_there_is_room_for_a_conversation_and_for_an_answer() {
        for window in [1, 2, 512, 4_096, 8_192, 16_384, 32_768, 36_384] {
            let space = space(None, window, "known");
            let CompactionSettings { enabled, reserve_tokens, keep_recent_tokens } = space.compaction;
            assert!(enabled && reserve_tokens >= 1, "{window}: {space:?}");
            assert!(reserve_tokens <= window.div_ceil(4) && keep_recent_tokens <= window / 2, "{window}: {space:?}");
            assert!(u64::from(keep_recent_tokens) <= space.most(), "{window}: {space:?}");
        }
        let first_that_is_as_set = space(None, 36_385, "known");
        assert_eq!(first_that_is_as_set.compaction, CompactionSettings::default());
    }

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
