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
use serde_json::{Map, Value};

use crate::dispatcher::Dispatcher;
use crate::harness::Harness;
use crate::stored::past::{Intent, Past};
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
                Some(intent) if self.may_run_again(intent) => self.again(&call, intent, abort).await,
                _ => stored::interrupted(&call, past.what_is_known(&call.id)),
            };
            self.answer(message);
        }
        self.tell.settings.set_unanswered(false);
    }

    /// What the journal knows of the calls.
    fn past(&self) -> Past {
        let Some(record) = &self.tell.record else { return Past::default() };
        let file = record.read(|session| session.path().to_owned());
        let last = self.transcript.messages().iter().rev().find_map(|message| match &**message {
            Message::Assistant(said) => Some(said.tool_calls().map(|call| call.id.as_str())),
            _ => None,
        });
        Past::of(&file, &last.into_iter().flatten().collect::<Vec<_>>())
    }

    fn may_run_again(&self, intent: &Intent) -> bool {
        let tool = self.dispatcher.tools().active(&intent.tool);
        tool.is_some_and(|entry| entry.tool.definition().replay == Replay::Safe)
    }

    async fn again(&self, call: &RequestedCall, intent: &Intent, abort: &CancellationToken) -> Message {
        let dispatch = Again { dispatcher: &self.dispatcher, arguments: &intent.arguments };
        let arguments = Value::Object(intent.arguments.clone());
        let again = RequestedCall { arguments, name: intent.tool.clone(), ..call.clone() };
        let settled = call_outside(&dispatch, &*self.tell, abort, Origin::Resumed, &again).await;
        seam_loop::result_message(call, &settled)
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
    arguments: &'a Map<String, Value>,
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
        let nested = request.origin != Origin::Resumed;
        let decisions = match self.dispatcher.preflight(request, abort).await {
            decided if nested => return decided,
            Preflight::Ready(ready) if ready.call().arguments.value() == self.arguments => {
                return Preflight::Ready(ready);
            }
            Preflight::Ready(ready) => ready.decisions().to_vec(),
            Preflight::Settled(settled) => settled.decisions,
        };
        Preflight::Settled(Settled { output: ToolOutput::error(Interrupted::Unknown.text()), decisions })
    }
}
