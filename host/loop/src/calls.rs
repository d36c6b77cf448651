//! One tool call, from its request to its result: decided by the dispatcher and the hook before it, run, told.
//!
//! Every call that is made during a run comes through here: the model's, and those of bodies, at any depth up to a
//! bound.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::call::{BatchPosition, Origin};
use crate::dispatch::{CallRequest, Dispatch, Preflight, ReadyCall, RunScope, Settled};
use crate::hooks::{Before, Hooks, View};
use crate::message::RequestedCall;
use crate::tool::{CallTool, ExecutionMode, ToolDefinition, ToolOutput};

/// How deep calls of bodies may nest.
const DEEPEST: usize = 16;

/// What calls are made with.
#[derive(Clone, Copy)]
pub(crate) struct Calls<'a> {
    pub(crate) dispatch: &'a dyn Dispatch,
    pub(crate) hooks: &'a dyn Hooks,
    pub(crate) abort: &'a CancellationToken,
    pub(crate) view: View<'a>,
    pub(crate) turn: u32,
}

/// A call that is decided: either it runs, or it is over.
#[allow(clippy::large_enum_variant, reason = "one is made for each call and taken apart at once")]
pub(crate) enum Decided {
    Ready(Box<dyn ReadyCall>),
    Over(Settled),
}

impl Calls<'_> {
    /// Decides whether a call runs. After an abort nobody is asked.
    pub(crate) async fn decide(&self, call: &RequestedCall, origin: Origin, batch: BatchPosition) -> Decided {
        if self.abort.is_cancelled() {
            return Decided::Over(over(abort_output()));
        }
        let request = CallRequest { call: call.clone(), origin, turn: self.turn, batch };
        let ready = match self.dispatch.preflight(request, self.abort).await {
            Preflight::Ready(ready) => ready,
            Preflight::Settled(settled) => return Decided::Over(settled),
        };
        if self.abort.is_cancelled() {
            return Decided::Over(instead(&*ready, abort_output()));
        }
        let before = self.hooks.before_tool_call(ready.call(), self.view, self.abort).await;
        if self.abort.is_cancelled() {
            return Decided::Over(instead(&*ready, abort_output()));
        }
        match before {
            Ok(Before::Proceed) => Decided::Ready(ready),
            Ok(Before::Block { reason, terminate }) => {
                let reason = if reason.is_empty() { "Tool execution was blocked".to_owned() } else { reason };
                Decided::Over(instead(&*ready, ToolOutput { terminate, ..ToolOutput::error(reason) }))
            }
            Err(error) => Decided::Over(instead(&*ready, ToolOutput::error(error.to_string()))),
        }
    }

    /// Runs an approved call.
    pub(crate) async fn run(
        &self,
        call: &RequestedCall,
        ready: Box<dyn ReadyCall>,
        updates: &(dyn Fn(ToolOutput) + Sync),
    ) -> Settled {
        if self.abort.is_cancelled() {
            return instead(&*ready, abort_output());
        }
        let approved = ready.call().clone();
        let caller = Nested { calls: *self, parent: call };
        let mut settled = ready.run(RunScope { abort: self.abort, updates, caller: &caller }).await;
        match self.hooks.after_tool_call(&approved, &settled.output, self.view, self.abort).await {
            Ok(changes) => changes.into_iter().for_each(|change| change.apply(&mut settled.output)),
            Err(error) => settled.output = ToolOutput::error(error.to_string()),
        }
        settled
    }
}

/// Makes the calls of a body, and of a run within it.
struct Nested<'a> {
    calls: Calls<'a>,
    parent: &'a RequestedCall,
}

#[async_trait]
impl CallTool for Nested<'_> {
    async fn call(&self, call: RequestedCall) -> Settled {
        let within = Calls { dispatch: self, ..self.calls };
        match within.decide(&call, Origin::Model, BatchPosition { index: 0, size: 1 }).await {
            Decided::Ready(ready) => within.run(&call, ready, &|_| {}).await,
            Decided::Over(settled) => settled,
        }
    }

    fn dispatch(&self) -> Option<&dyn Dispatch> {
        Some(self)
    }
}

#[async_trait]
impl Dispatch for Nested<'_> {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        self.calls.dispatch.definitions()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        self.calls.dispatch.mode(tool)
    }

    fn depth(&self) -> usize {
        self.calls.dispatch.depth() + 1
    }

    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight {
        if self.depth() > DEEPEST {
            let tool = &request.call.name;
            let reason = format!("Tool {tool} was not called: calls are nested too deeply");
            return Preflight::Settled(over(ToolOutput::error(reason)));
        }
        let origin = match request.origin {
            // What comes from further in says so already.
            nested @ Origin::Nested { .. } => nested,
            _ => Origin::Nested { id: self.parent.id.clone(), tool: self.parent.name.clone() },
        };
        self.calls.dispatch.preflight(CallRequest { origin, ..request }, abort).await
    }
}

/// What a call that an abort kept from running gives.
fn abort_output() -> ToolOutput {
    ToolOutput::error("Operation aborted")
}

/// The result of a call that was approved and does not run, with what was decided about it.
fn instead(ready: &dyn ReadyCall, output: ToolOutput) -> Settled {
    Settled { output, decisions: ready.decisions().to_vec() }
}

/// The result of a call that nobody decided about.
pub(crate) fn over(output: ToolOutput) -> Settled {
    Settled { output, decisions: Vec::new() }
}
