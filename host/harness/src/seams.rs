//! The seams as the harness sees them: one trait each. A plugin engine implements them.

use async_trait::async_trait;
use seam_loop::{ToolCall, ToolOutput};

use crate::dispatcher::FinalCall;
use crate::failure::Failure;
pub use seam_loop::Change;

/// `rewrite-tool-call`: may change the arguments before any gate sees them.
#[async_trait]
pub trait RewriteToolCall: Send + Sync {
    /// New arguments as JSON text of an object, or none.
    ///
    /// # Errors
    /// When there is no decision.
    async fn rewrite(&self, call: &ToolCall) -> Result<Option<String>, Failure>;
}

/// `tool-call`: may refuse the call. The last place before its effect.
#[async_trait]
pub trait ToolCallGate: Send + Sync {
    /// The verdict.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, call: &FinalCall) -> Result<Verdict, Failure>;
}

/// `tool-result`: may change or withhold what is told.
#[async_trait]
pub trait ToolResultPatch: Send + Sync {
    /// What becomes of the result. `partial`: it is a live update.
    ///
    /// # Errors
    /// When there is no decision.
    async fn review(&self, call: &FinalCall, output: &ToolOutput, partial: bool) -> Result<Outcome, Failure>;
}

/// The decision of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Do not run it.
    Block {
        /// Why.
        reason: String,
        /// Whether the run should end after this batch.
        terminate: bool,
    },
    /// Ask the user this.
    Ask(String),
    /// Nothing against it.
    Proceed,
}

/// The decision of a patch.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nobody sees it, for this reason.
    Withhold(String),
    /// It changes, in this order.
    Change(Vec<Change>),
    /// It stays.
    Keep,
}
