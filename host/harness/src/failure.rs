//! What a plugin's failure is. It is never a decision.

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
    /// It used an import where it may not.
    #[error("{0}")]
    Misuse(&'static str),
    /// It returned something that is not a value of the declared type, or not one that can be used here.
    #[error("its answer is not usable: {0}")]
    InvalidAnswer(String),
}
