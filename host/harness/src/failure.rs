//! What a plugin's failure is. It is never a decision.

use std::sync::Arc;
use std::time::Duration;

/// Why a plugin gave no decision. The model reads the text: it holds nothing a guest said but, shortened and cleaned,
/// what is wrong with arguments it gave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No instance of it could be made.
    #[error("it could not start")]
    CouldNotStart,
    /// It crashed.
    #[error("it crashed ({0})")]
    Crash(String),
    /// It took too long.
    #[error("it reached its time limit of {} ms", .0.as_millis())]
    TimeLimit(Duration),
    /// It wanted too much memory.
    #[error("it reached its memory limit of {} MiB", .0 >> 20)]
    MemoryLimit(usize),
    /// It returned too much.
    #[error("it returned more than {} KiB", .0 >> 10)]
    DataLimit(usize),
    /// It called the host too often.
    #[error("it called the host more than {0} times")]
    HostCallLimit(u32),
    /// It held too many things of the host at once.
    #[error("it held too many handles")]
    HandleLimit,
    /// It used an import where it may not.
    #[error("{0}")]
    Misuse(&'static str),
    /// It kept a run going too often.
    #[error("it kept the run going {0} times in a row though no tool was called")]
    Endless(u32),
    /// It returned something that is not a value of the declared type.
    #[error("its answer is not usable: it is not a value of the declared type")]
    NotOfType,
    /// It gave an answer, and not one that can be used here.
    #[error("its answer is not usable: {0}")]
    InvalidAnswer(String),
    /// What it was asked and what it said could not be written into the journal. Nothing overrides that.
    #[error("what it said could not be recorded, and what is not recorded is not decided")]
    NotRecorded,
}

impl Failure {
    /// Which of them it is, as it stands in the journal.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CouldNotStart => "could-not-start",
            Self::Crash(_) => "crash",
            Self::TimeLimit(_) => "time-limit",
            Self::MemoryLimit(_) => "memory-limit",
            Self::DataLimit(_) => "data-limit",
            Self::HostCallLimit(_) => "host-call-limit",
            Self::HandleLimit => "handle-limit",
            Self::Misuse(_) => "misuse",
            Self::Endless(_) => "endless",
            Self::NotOfType => "not-of-type",
            Self::InvalidAnswer(_) => "invalid-answer",
            Self::NotRecorded => "not-recorded",
        }
    }

    /// Whether the plugin gave an answer and the host has no use for it. All else is written where the plugin is asked.
    pub fn is_the_hosts(&self) -> bool {
        matches!(self, Self::InvalidAnswer(_) | Self::Endless(_))
    }
}

/// A plugin failed, and what it could not check is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("plugin `{plugin}` failed at `{seam}`: {failure}")]
pub struct Refused {
    /// The plugin.
    pub plugin: Arc<str>,
    /// The seam.
    pub seam: &'static str,
    /// How.
    pub failure: Failure,
}

/// Something was not done, because of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// A plugin decided so.
    #[error("plugin `{plugin}` cancelled it{}{reason}", if .reason.is_empty() { "" } else { ": " })]
    Cancelled {
        /// The plugin.
        plugin: Arc<str>,
        /// Why, in the plugin's words.
        reason: String,
    },
    /// A plugin failed.
    #[error("{0}. What a plugin could not check is refused; this is a failure, not a decision")]
    Failed(#[from] Refused),
}
