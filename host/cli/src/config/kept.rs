//! What the settings say about sessions.

use seam_harness::{CompactionSettings, Restore, RetrySettings, Upkeep};
use seam_session::Durability;
use serde::Deserialize;

/// How sessions are kept.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Sessions {
    pub(crate) durability: Durable,
    pub(crate) missing_tools: MissingTools,
    /// How large the journal of a session gets. 0: none is kept.
    pub(super) journal_mib: Option<u32>,
    pub(crate) compaction: Compaction,
}

/// When an entry is on the disk for certain.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Durable {
    /// Before anything depends on it.
    #[default]
    Entry,
    /// At the end of each turn.
    SavePoint,
    /// When the operating system gets to it.
    Never,
}

/// What becomes of tools that a session has active and that are not there.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissingTools {
    /// The session does not start.
    Fail,
    /// It goes on without them for good.
    #[default]
    Drop,
    /// It goes on without them until they are there again.
    Keep,
}

/// When a session is made shorter, and how far. In tokens.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Compaction {
    /// Whether it is when it is nearly too long for the model.
    pub(super) enabled: bool,
    /// So many are left free for the model's answer.
    pub(super) reserve_tokens: u32,
    /// About so many at the end stay as they are.
    pub(super) keep_recent_tokens: u32,
    /// So many the model can read and write at once; none for what is known of it.
    pub(super) window: Option<u32>,
}

/// When a provider is asked again that failed in a way which may pass.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Retry {
    /// How often.
    pub(super) max: u32,
    /// How long to wait before the first time; each wait is twice as long as the one before.
    pub(super) base_ms: u32,
}

impl Default for Compaction {
    fn default() -> Self {
        let Upkeep { context_window: window, compaction, .. } = Upkeep::default();
        let CompactionSettings { enabled, reserve_tokens, keep_recent_tokens } = compaction;
        Self { enabled, reserve_tokens, keep_recent_tokens, window }
    }
}

impl Default for Retry {
    fn default() -> Self {
        let RetrySettings { max, base } = RetrySettings::default();
        Self { max, base_ms: u32::try_from(base.as_millis()).unwrap_or(u32::MAX) }
    }
}

impl From<MissingTools> for Restore {
    fn from(missing: MissingTools) -> Self {
        match missing {
            MissingTools::Fail => Self::Fail,
            MissingTools::Drop => Self::Drop,
            MissingTools::Keep => Self::Keep,
        }
    }
}

impl From<Durable> for Durability {
    fn from(durable: Durable) -> Self {
        match durable {
            Durable::Entry => Self::EachEntry,
            Durable::SavePoint => Self::SavePoints,
            Durable::Never => Self::Never,
        }
    }
}
