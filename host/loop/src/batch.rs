//! The tool calls of one model message: each is decided in the model's order before any runs, results come back in the
//! model's order.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use crate::call::{BatchPosition, Origin};
use crate::dispatch::{CallRequest, Dispatch, Preflight, ReadyCall, Settled};
use crate::event::{AgentEvent, EventSink};
use crate::message::{AssistantMessage, RequestedCall, StopReason};
use crate::tool::{ExecutionMode, ToolOutput};

/// What a batch needs.
pub(crate) struct Batch<'a> {
    pub(crate) dispatch: &'a dyn Dispatch,
    pub(crate) abort: &'a CancellationToken,
    pub(crate) events: &'a dyn EventSink,
    pub(crate) turn: u32,
}

/// A call that is decided: either it runs, or it is over.
enum Decided {
    Ready(Box<dyn ReadyCall>),
    Over(Settled),
}

impl Batch<'_> {
    /// Runs the calls of a message. Gives one result per call, in the model's order; `done` gets each result as soon as
    /// it may enter the transcript.
    pub(crate) async fn run(&self, message: &AssistantMessage, mut done: impl FnMut(&RequestedCall, &Settled)) -> bool {
        let calls: Vec<&RequestedCall> = message.tool_calls().collect();
        let truncated = message.stop_reason == StopReason::Length;
        let sequential = calls.iter().any(|call| self.dispatch.mode(&call.name) == ExecutionMode::Sequential);
        let results = if truncated {
            calls.iter().map(|call| self.refuse(call, truncated_text(&call.name))).collect()
        } else if sequential {
            self.sequential(&calls, &mut done).await
        } else {
            self.parallel(&calls).await
        };
        if truncated || !sequential {
            calls.iter().zip(&results).for_each(|(call, settled)| done(call, settled));
        }
        !truncated && !results.is_empty() && results.iter().all(|settled| settled.output.terminate)
    }

    async fn sequential(
        &self,
        calls: &[&RequestedCall],
        done: &mut impl FnMut(&RequestedCall, &Settled),
    ) -> Vec<Settled> {
        let mut results = Vec::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            let settled = match self.decide(call, position(index, calls.len())).await {
                Decided::Ready(ready) => self.execute(call, ready).await,
                Decided::Over(settled) => settled,
            };
            done(call, &settled);
            results.push(settled);
        }
        results
    }

    async fn parallel(&self, calls: &[&RequestedCall]) -> Vec<Settled> {
        let mut results: Vec<Option<Settled>> = Vec::with_capacity(calls.len());
        let mut ready = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            match self.decide(call, position(index, calls.len())).await {
                Decided::Ready(call) => {
                    ready.push((index, call));
                    results.push(None);
                }
                Decided::Over(settled) => results.push(Some(settled)),
            }
        }
        let mut running: FuturesUnordered<_> = ready
            .into_iter()
            .filter_map(|(index, ready)| calls.get(index).map(|call| (index, *call, ready)))
            .map(|(index, call, ready)| async move { (index, self.execute(call, ready).await) })
            .collect();
        while let Some((index, settled)) = running.next().await {
            if let Some(place) = results.get_mut(index) {
                *place = Some(settled);
            }
        }
        results.into_iter().flatten().collect()
    }

    /// Opens a call and decides it. After an abort nobody is asked.
    async fn decide(&self, call: &RequestedCall, batch: BatchPosition) -> Decided {
        self.events.emit(AgentEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: call.arguments.clone(),
        });
        if self.abort.is_cancelled() {
            return Decided::Over(self.end(call, aborted()));
        }
        let request = CallRequest { call: call.clone(), origin: Origin::Model, turn: self.turn, batch };
        match self.dispatch.preflight(request, self.abort).await {
            Preflight::Ready(ready) => Decided::Ready(ready),
            Preflight::Settled(settled) => Decided::Over(self.end(call, settled)),
        }
    }

    /// Runs an approved call and closes it.
    async fn execute(&self, call: &RequestedCall, ready: Box<dyn ReadyCall>) -> Settled {
        let update = |partial_result: ToolOutput| {
            self.events.emit(AgentEvent::ToolExecutionUpdate {
                tool_call_id: call.id.clone(),
                tool_name: call.name.clone(),
                partial_result,
            });
        };
        let settled = match self.abort.is_cancelled() {
            true => aborted(),
            false => ready.run(self.abort, &update).await,
        };
        self.end(call, settled)
    }

    fn refuse(&self, call: &RequestedCall, reason: String) -> Settled {
        self.events.emit(AgentEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: call.arguments.clone(),
        });
        self.end(call, Settled { output: ToolOutput::error(reason), decisions: Vec::new() })
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

fn position(index: usize, size: usize) -> BatchPosition {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    BatchPosition { index: narrow(index), size: narrow(size) }
}

fn aborted() -> Settled {
    Settled { output: ToolOutput::error("Operation aborted"), decisions: Vec::new() }
}

fn truncated_text(tool: &str) -> String {
    format!(
        "Tool call \"{tool}\" was not executed: the response hit the output token limit, so its arguments may be \
         truncated. Re-issue the tool call with complete arguments."
    )
}
