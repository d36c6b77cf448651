//! One tool call, from its request to its result: decided by the dispatcher and the hook before it, run, told.
//!
//! Every call that is made during a run comes through here: the model's, and those of bodies, at any depth up to a
//! bound.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::call::{BatchPosition, Origin};
use crate::dispatch::{CallRequest, Dispatch, Preflight, ReadyCall, RunScope, Settled};
use crate::hooks::{Before, Hooks, View};
use crate::message::RequestedCall;
use crate::tool::{CallTool, ToolOutput};

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
pub(crate) enum Decided {
    Ready(Box<dyn ReadyCall>),
    Over(Settled),
}

impl Calls<'_> {
    /// Decides whether a call runs. After an abort nobody is asked.
    pub(crate) async fn decide(&self, call: &RequestedCall, origin: Origin, batch: BatchPosition) -> Decided {
        if self.abort.is_cancelled() {
            return Decided::Over(aborted());
        }
        let request = CallRequest { call: call.clone(), origin, turn: self.turn, batch };
        let ready = match self.dispatch.preflight(request, self.abort).await {
            Preflight::Ready(ready) => ready,
            Preflight::Settled(settled) => return Decided::Over(settled),
        };
        if self.abort.is_cancelled() {
            return Decided::Over(aborted());
        }
        let before = self.hooks.before_tool_call(ready.call(), self.view, self.abort).await;
        if self.abort.is_cancelled() {
            return Decided::Over(aborted());
        }
        match before {
            Ok(Before::Proceed) => Decided::Ready(ready),
            Ok(Before::Block { reason, terminate }) => {
                let reason = if reason.is_empty() { "Tool execution was blocked".to_owned() } else { reason };
                Decided::Over(over(ToolOutput { terminate, ..ToolOutput::error(reason) }))
            }
            Err(error) => Decided::Over(over(ToolOutput::error(error.to_string()))),
        }
    }

    /// Runs an approved call. `depth` is how many bodies it is called from.
    pub(crate) async fn run(
        &self,
        call: &RequestedCall,
        ready: Box<dyn ReadyCall>,
        updates: &(dyn Fn(ToolOutput) + Sync),
        depth: usize,
    ) -> Settled {
        if self.abort.is_cancelled() {
            return aborted();
        }
        let approved = ready.call().clone();
        let caller = Nested { calls: *self, parent: call, depth: depth + 1 };
        let mut settled = ready.run(RunScope { abort: self.abort, updates, caller: &caller }).await;
        match self.hooks.after_tool_call(&approved, &settled.output, self.view, self.abort).await {
            Ok(changes) => changes.into_iter().for_each(|change| change.apply(&mut settled.output)),
            Err(error) => settled.output = ToolOutput::error(error.to_string()),
        }
        settled
    }
}

/// Makes the calls of a body.
struct Nested<'a> {
    calls: Calls<'a>,
    parent: &'a RequestedCall,
    depth: usize,
}

#[async_trait]
impl CallTool for Nested<'_> {
    async fn call(&self, call: RequestedCall) -> Settled {
        if self.depth > DEEPEST {
            return over(ToolOutput::error(format!("Tool {} was not called: calls are nested too deeply", call.name)));
        }
        let origin = Origin::Nested { id: self.parent.id.clone(), tool: self.parent.name.clone() };
        match self.calls.decide(&call, origin, BatchPosition { index: 0, size: 1 }).await {
            Decided::Ready(ready) => self.calls.run(&call, ready, &|_| {}, self.depth).await,
            Decided::Over(settled) => settled,
        }
    }
}

/// The result of a call that an abort kept from running.
pub(crate) fn aborted() -> Settled {
    over(ToolOutput::error("Operation aborted"))
}

/// The result of a call that nobody decided about.
pub(crate) fn over(output: ToolOutput) -> Settled {
    Settled { output, decisions: Vec::new() }
}
