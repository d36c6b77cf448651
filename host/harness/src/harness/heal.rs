//! Calls that a session was left with: each gets its result before anything else is said.
//!
//! A call is made once more only when all agree that it may be: the journal says that it began, that it was not over
//! and that its tool may be called twice; the tool says so still; and rewriters, rules and gates let the same arguments
//! pass.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::event::Role;
use seam_loop::message::RequestedCall;
use seam_loop::{
    AgentEvent, CallRequest, CancellationToken, Dispatch, EventSink, ExecutionMode, Message, Origin, Preflight, Replay,
    Settled, ToolDefinition, ToolOutput, call_outside,
};
use serde_json::Value;

use crate::dispatcher::Dispatcher;
use crate::harness::Harness;
use crate::stored::past::{Arguments, Past};
use crate::stored::{self, Interrupted};

impl Harness {
    /// Gives every call without a result its result. There are some also when nobody waited for the end of a run.
    pub(super) async fn heal(&mut self, abort: &CancellationToken) {
        if self.interrupted.is_empty() {
            self.interrupted = unanswered(self.transcript.messages());
        }
        if self.interrupted.is_empty() {
            return;
        }
        self.activate();
        let past = self.past();
        for call in std::mem::take(&mut self.interrupted) {
            let message = match past.intent(&call.id) {
                Some(arguments) if self.may_run_again(&call) => self.again(&call, arguments, abort).await,
                _ => stored::interrupted(&call, past.what_is_known(&call.id)),
            };
            self.answer(message);
        }
        self.tell.settings.set_unanswered(false);
    }

    /// What the journal knows of the calls.
    fn past(&self) -> Past {
        let Some(record) = &self.tell.record else { return Past::default() };
        let (file, stored) = record.read(|session| (session.path().to_owned(), stored::last_said(session)));
        let Some(stored) = stored else { return Past::default() };
        let last = self.transcript.messages().iter().rev().find_map(|message| match &**message {
            Message::Assistant(said) => Some(said.tool_calls()),
            _ => None,
        });
        Past::of(&file, &last.into_iter().flatten().collect::<Vec<_>>(), stored)
    }

    fn may_run_again(&self, call: &RequestedCall) -> bool {
        let tool = self.dispatcher.tools().active(&call.name);
        tool.is_some_and(|entry| entry.tool.definition().replay == Replay::Safe)
    }

    async fn again(&self, call: &RequestedCall, arguments: &Arguments, abort: &CancellationToken) -> Message {
        let is_changed = !self.asks_for(call, arguments);
        let dispatch = Again { dispatcher: &self.dispatcher, arguments, is_changed };
        let again = RequestedCall { arguments: Value::Object(arguments.clone()), ..call.clone() };
        let settled = call_outside(&dispatch, &*self.tell, abort, Origin::Resumed, &again).await;
        seam_loop::result_message(call, &settled)
    }

    /// Whether the model itself asked for a call with these arguments.
    fn asks_for(&self, call: &RequestedCall, arguments: &Arguments) -> bool {
        let asked = self.dispatcher.tools().active(&call.name).and_then(|entry| {
            let prepared = entry.tool.prepare_arguments(call.arguments.clone()).ok()?;
            entry.schema.validate(prepared).ok()
        });
        asked.is_some_and(|asked| asked.value() == arguments)
    }

    fn answer(&mut self, message: Message) {
        let tool_call_id = match &message {
            Message::ToolResult(result) => Some(result.tool_call_id.clone()),
            _ => None,
        };
        self.tell.emit(AgentEvent::MessageStart { role: Role::ToolResult, tool_call_id, blocks: None });
        let message = self.transcript.push(message);
        self.tell.emit(AgentEvent::MessageEnd { message });
    }
}

/// The calls of the last message that have no result.
fn unanswered(messages: &[Arc<Message>]) -> Vec<RequestedCall> {
    let mut answered = Vec::new();
    for message in messages.iter().rev() {
        match &**message {
            Message::ToolResult(result) => answered.push(&result.tool_call_id),
            Message::Assistant(said) => {
                return stored::made(said).into_iter().filter(|call| !answered.contains(&&call.id)).collect();
            }
            Message::User(_) => break,
            Message::Custom(_) => {}
        }
    }
    Vec::new()
}

/// The way of a call that is made once more. What does not go as it did leaves the call as it was: interrupted.
struct Again<'a> {
    dispatcher: &'a Dispatcher,
    /// What the tool got.
    arguments: &'a Arguments,
    /// Whether that is something else than the model asked for.
    is_changed: bool,
}

#[async_trait]
impl Dispatch for Again<'_> {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        self.dispatcher.definitions()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        self.dispatcher.mode(tool)
    }

    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight {
        if request.origin != Origin::Resumed {
            return self.dispatcher.preflight(request, abort).await;
        }
        let decisions = match self.dispatcher.decide(&request, self.is_changed, abort).await {
            Preflight::Ready(ready) if ready.call().arguments.value() == self.arguments => {
                return Preflight::Ready(ready);
            }
            Preflight::Ready(ready) => ready.decisions().to_vec(),
            Preflight::Settled(settled) => settled.decisions,
        };
        Preflight::Settled(Settled { output: ToolOutput::error(Interrupted::Unknown.text()), decisions })
    }
}
