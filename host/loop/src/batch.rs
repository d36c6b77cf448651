//! The tool calls of one model message: each is decided in the model's order before any runs.

use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::call::{BatchPosition, Origin};
use crate::calls::{Calls, Decided, over};
use crate::dispatch::{Dispatch, ReadyCall, Settled};
use crate::event::{AgentEvent, EventSink};
use crate::hooks::{NoHooks, View};
use crate::message::{Message, RequestedCall, ToolResultMessage, now};
use crate::tool::ToolOutput;

/// Makes one call outside a run: the user's, or one of a session that is resumed. It takes the way of every call and is
/// told like one.
pub async fn call_outside(
    dispatch: &dyn Dispatch,
    events: &dyn EventSink,
    abort: &CancellationToken,
    origin: Origin,
    call: &RequestedCall,
) -> Settled {
    let view = View { context: &[], transcript: &[] };
    let calls = Calls { dispatch, hooks: &NoHooks, abort, view, turn: 0 };
    Batch { calls, events, origin, size: 1 }.one(0, call).await
}

/// Makes one call outside a run without telling of it: a plugin's. It takes the way of every call. Gives also whether it
/// ran.
pub async fn call_quietly(
    dispatch: &dyn Dispatch,
    abort: &CancellationToken,
    origin: Origin,
    call: &RequestedCall,
) -> (bool, Settled) {
    let view = View { context: &[], transcript: &[] };
    let calls = Calls { dispatch, hooks: &NoHooks, abort, view, turn: 0 };
    match calls.decide(call, origin, BatchPosition { index: 0, size: 1 }).await {
        Decided::Ready(ready) => (true, calls.run(call, ready, &|_| {}).await),
        Decided::Over(settled) => (false, settled),
    }
}

/// How many calls of one message run at the same time. A model can ask for thousands of processes at once.
const AT_ONCE: usize = 32;

/// Calls that are told as they are made.
pub(crate) struct Batch<'a> {
    pub(crate) calls: Calls<'a>,
    pub(crate) events: &'a dyn EventSink,
    /// Who asks for them.
    pub(crate) origin: Origin,
    /// How many calls the message holds.
    pub(crate) size: usize,
}

impl Batch<'_> {
    /// Makes one call, from its start to its end.
    pub(crate) async fn one(&self, index: usize, call: &RequestedCall) -> Settled {
        match self.decide(index, call).await {
            Decided::Ready(ready) => self.execute(call, ready).await,
            Decided::Over(settled) => settled,
        }
    }

    /// Makes all calls. They are decided one after another, run together, some at a time, and end as they end; their results
    /// come in the order of the calls.
    pub(crate) async fn together(&self, calls: &[&RequestedCall]) -> Vec<Settled> {
        let mut results: Vec<Option<Settled>> = Vec::with_capacity(calls.len());
        let mut ready_calls = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            results.push(match self.decide(index, call).await {
                Decided::Ready(ready) => {
                    ready_calls.push(async move { (index, self.execute(call, ready).await) });
                    None
                }
                Decided::Over(settled) => Some(settled),
            });
        }
        let mut running = stream::iter(ready_calls).buffer_unordered(AT_ONCE);
        while let Some((index, settled)) = running.next().await {
            if let Some(place) = results.get_mut(index) {
                *place = Some(settled);
            }
        }
        results.into_iter().flatten().collect()
    }

    /// The result of a call of a response that was cut off. Nobody is asked, nothing runs.
    pub(crate) fn cut_off(&self, call: &RequestedCall) -> Settled {
        self.start(call);
        let reason = format!(
            "Tool call \"{}\" was not executed: the response hit the output token limit, so its arguments may be \
             truncated. Re-issue the tool call with complete arguments.",
            call.name
        );
        self.end(call, over(ToolOutput::error(reason)))
    }

    async fn decide(&self, index: usize, call: &RequestedCall) -> Decided {
        self.start(call);
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let batch = BatchPosition { index: narrow(index), size: narrow(self.size) };
        match self.calls.decide(call, self.origin.clone(), batch).await {
            Decided::Over(settled) => Decided::Over(self.end(call, settled)),
            ready @ Decided::Ready(_) => ready,
        }
    }

    async fn execute(&self, call: &RequestedCall, ready: Box<dyn ReadyCall>) -> Settled {
        let update = |partial_result: ToolOutput| {
            self.events.emit(AgentEvent::ToolExecutionUpdate {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                partial_result,
            });
        };
        let settled = self.calls.run(call, ready, &update).await;
        self.end(call, settled)
    }

    fn start(&self, call: &RequestedCall) {
        self.events.emit(AgentEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: call.arguments.clone(),
        });
    }

    fn end(&self, call: &RequestedCall, settled: Settled) -> Settled {
        self.events.emit(AgentEvent::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: settled.output.clone(),
            is_error: settled.output.is_error,
            decisions: settled.decisions.clone(),
        });
        settled
    }
}

/// The message that holds the result of a call.
pub fn result_message(call: &RequestedCall, settled: &Settled) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: settled.output.content.clone(),
        details: settled.output.details.clone(),
        structured_content: settled.output.structured_content.clone(),
        usage: settled.output.usage,
        is_error: settled.output.is_error,
        timestamp: now(),
    })
}
