//! One run: from a prompt to the moment the model has nothing more to do.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::batch::Batch;
use crate::dispatch::{Dispatch, Settled};
use crate::event::{AgentEvent, EventSink, Role};
use crate::message::{AssistantMessage, Message, RequestedCall, StopReason, ToolResultMessage, now};
use crate::provider::{Provider, Request};
use crate::stream;
use crate::transcript::Transcript;

/// What a run works with.
pub struct RunConfig<'a> {
    /// Where responses come from.
    pub provider: &'a dyn Provider,
    /// Where tool calls go.
    pub dispatch: &'a dyn Dispatch,
    /// Who is told.
    pub events: &'a dyn EventSink,
    /// The model's id.
    pub model: &'a str,
    /// The system prompt.
    pub system_prompt: &'a str,
    /// Fires when the user aborts.
    pub abort: &'a CancellationToken,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Why the last response ended.
    pub stop_reason: StopReason,
    /// What failed, if anything did.
    pub error: Option<String>,
}

/// Appends the prompts to the transcript and goes on until the model has nothing more to do, a whole batch asks to
/// stop, a request fails, or the user aborts. A failure is an outcome, not an error: the transcript stays usable.
pub async fn run(config: &RunConfig<'_>, transcript: &mut Transcript, prompts: Vec<Message>) -> RunOutcome {
    let mut run = Run { config, first_new: transcript.messages().len(), transcript };
    config.events.emit(AgentEvent::AgentStart);
    let mut turn = 1;
    config.events.emit(AgentEvent::TurnStart { turn });
    for prompt in prompts {
        run.append_whole(prompt);
    }
    let outcome = loop {
        if let Some(outcome) = run.turn(turn).await {
            break outcome;
        }
        turn += 1;
        config.events.emit(AgentEvent::TurnStart { turn });
    };
    config.events.emit(AgentEvent::AgentEnd { messages: run.new_messages() });
    outcome
}

struct Run<'a> {
    config: &'a RunConfig<'a>,
    transcript: &'a mut Transcript,
    first_new: usize,
}

impl Run<'_> {
    /// One response and its tool calls. `None`: another turn follows.
    async fn turn(&mut self, turn: u32) -> Option<RunOutcome> {
        let message = self.respond().await;
        let stored = self.append(Message::Assistant(message.clone()));
        let mut results = Vec::new();
        let mut terminate = true;
        let failed = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
        if !failed && message.tool_calls().next().is_some() {
            (terminate, results) = self.batch(&message, turn).await;
        }
        self.config.events.emit(AgentEvent::TurnEnd { message: stored, tool_results: results });
        if !failed && self.config.abort.is_cancelled() {
            return Some(RunOutcome { stop_reason: StopReason::Aborted, error: Some("Operation aborted".to_owned()) });
        }
        terminate.then_some(RunOutcome { stop_reason: message.stop_reason, error: message.error_message })
    }

    async fn respond(&mut self) -> AssistantMessage {
        let tools = self.config.dispatch.definitions();
        let request = Request {
            model: self.config.model,
            system_prompt: self.config.system_prompt,
            messages: self.transcript.messages(),
            tools: &tools,
        };
        stream::respond(self.config.provider, request, self.config.abort, self.config.events).await
    }

    async fn batch(&mut self, message: &AssistantMessage, turn: u32) -> (bool, Vec<Arc<Message>>) {
        let RunConfig { dispatch, events, abort, .. } = *self.config;
        let batch = Batch { dispatch, abort, events, turn };
        let mut results = Vec::new();
        let terminate =
            batch.run(message, |call, settled| results.push(self.append_whole(result(call, settled)))).await;
        (terminate, results)
    }

    /// Appends a message that comes whole.
    fn append_whole(&mut self, message: Message) -> Arc<Message> {
        let (role, tool_call_id) = match &message {
            Message::User(_) => (Role::User, None),
            Message::Assistant(_) => (Role::Assistant, None),
            Message::ToolResult(result) => (Role::ToolResult, Some(result.tool_call_id.clone())),
        };
        self.config.events.emit(AgentEvent::MessageStart { role, tool_call_id });
        self.append(message)
    }

    /// Appends a message and tells that it is final.
    fn append(&mut self, message: Message) -> Arc<Message> {
        let message = self.transcript.push(message);
        self.config.events.emit(AgentEvent::MessageEnd { message: Arc::clone(&message) });
        message
    }

    fn new_messages(&self) -> Vec<Arc<Message>> {
        self.transcript.messages().iter().skip(self.first_new).cloned().collect()
    }
}

fn result(call: &RequestedCall, settled: &Settled) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: settled.output.content.clone(),
        details: settled.output.details.clone(),
        usage: settled.output.usage,
        is_error: settled.output.is_error,
        timestamp: now(),
    })
}

#[cfg(test)]
mod tests;
