//! The way from a tool call to its result. The loop decides when; the dispatcher decides whether.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::call::{BatchPosition, Origin, ToolCall};
use crate::decision::Decision;
use crate::message::RequestedCall;
use crate::tool::{CallTool, ExecutionMode, ToolDefinition, ToolOutput};

/// A tool call that somebody asked for. Nothing of it was checked.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// The call.
    pub call: RequestedCall,
    /// Who asked.
    pub origin: Origin,
    /// The turn of the run, from 1; 0 for a call that belongs to no turn.
    pub turn: u32,
    /// Its place in the model's message.
    pub batch: BatchPosition,
}

/// Everything that stands between a call and its effect. There is one implementation per host, and every call of the
/// model, of a tool, of a plugin, of the user or of a resumed session goes through it.
#[async_trait]
pub trait Dispatch: Send + Sync {
    /// What the model is told of the tools it may call now. It may differ from turn to turn.
    fn definitions(&self) -> Arc<[ToolDefinition]>;

    /// Whether calls of this tool may overlap with others.
    fn mode(&self, tool: &str) -> ExecutionMode;

    /// In how many bodies its calls are made.
    fn depth(&self) -> usize {
        0
    }

    /// Decides whether the call runs. Has no effect but the questions it asks.
    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight;
}

/// The outcome of a preflight.
#[allow(clippy::large_enum_variant, reason = "one is made for each call and taken apart at once")]
pub enum Preflight {
    /// Everyone agreed. Running it is the caller's next step.
    Ready(Box<dyn ReadyCall>),
    /// It will not run; this is its result.
    Settled(Settled),
}

/// An approved call.
#[async_trait]
pub trait ReadyCall: Send {
    /// What was approved.
    fn call(&self) -> &ToolCall;

    /// Who was asked and what they said. Goes with its result when it does not run after all.
    fn decisions(&self) -> &[Decision] {
        &[]
    }

    /// Runs the body and passes its result through the patches.
    async fn run(self: Box<Self>, scope: RunScope<'_>) -> Settled;
}

/// What a running call is given.
#[derive(Clone, Copy)]
pub struct RunScope<'a> {
    /// Fires when the user aborts.
    pub abort: &'a CancellationToken,
    /// Takes live updates that have passed the patches.
    pub updates: &'a (dyn Fn(ToolOutput) + Sync),
    /// Makes calls for the body.
    pub caller: &'a dyn CallTool,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Its result, as everyone may see it.
    pub output: ToolOutput,
    /// Who was asked and what they said, in order.
    pub decisions: Vec<Decision>,
}
