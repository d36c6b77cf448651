//! One turn: a request, its response, the tool calls in it.

use std::borrow::Cow;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Run, RunFailure, RunOutcome};
use crate::batch::{Batch, result_message};
use crate::call::Origin;
use crate::calls::Calls;
use crate::context::sent;
use crate::event::{AgentEvent, Role};
use crate::hooks::{Next, RequestChange, RequestView, View};
use crate::message::{AssistantMessage, Message, RequestedCall, StopReason};
use crate::provider::{Model, ProviderError, Request, ThinkingLevel};
use crate::stream::{self, ABORTED};
use crate::tool::ExecutionMode;

/// A turn that is over.
pub(super) struct Turn {
    pub(super) message: AssistantMessage,
    pub(super) results: Vec<Arc<Message>>,
    pub(super) next: Next,
    /// Every call of the batch asked to end the run.
    terminate: bool,
    /// The user aborted while its calls ran.
    aborted: bool,
}

impl Turn {
    /// Whether nothing can follow it.
    pub(super) fn is_last(&self, abort: &CancellationToken) -> bool {
        self.failed() || self.next == Next::End || abort.is_cancelled()
    }

    /// Whether the model has to see its results.
    pub(super) fn wants_results_read(&self) -> bool {
        !self.results.is_empty() && !self.terminate
    }

    fn failed(&self) -> bool {
        failed(&self.message)
    }

    pub(super) fn outcome(self) -> RunOutcome {
        match self.aborted && !self.failed() {
            true => RunOutcome::aborted(),
            false => RunOutcome::of(&self.message),
        }
    }
}

fn failed(message: &AssistantMessage) -> bool {
    matches!(message.stop_reason, StopReason::Error | StopReason::Aborted)
}

/// A request as the hooks made it.
struct Prepared<'a> {
    model: Cow<'a, Model>,
    thinking_level: ThinkingLevel,
    messages: Cow<'a, [Arc<Message>]>,
    api_key: Option<String>,
}

impl Run<'_> {
    pub(super) async fn turn(&mut self) -> Result<Turn, RunFailure> {
        let message = self.respond().await?;
        let stored = self.append(Message::Assistant(message.clone()));
        let calls: Vec<&RequestedCall> = message.tool_calls().collect();
        let (results, terminate) = match failed(&message) || calls.is_empty() {
            true => (Vec::new(), false),
            false => self.batch(&message, &calls).await,
        };
        let view = self.turn_view(&message, &results);
        let next = self.config.hooks.finish_turn(view, self.config.abort).await;
        self.end_turn(stored, results.clone());
        let aborted = self.config.abort.is_cancelled();
        Ok(Turn { next: next?, message, results, terminate, aborted })
    }

    /// The response, its start told and its end not yet.
    async fn respond(&mut self) -> Result<AssistantMessage, RunFailure> {
        let config = self.config;
        if !config.abort.is_cancelled() {
            let change = self.ask_for_change().await?;
            let request = self.prepare(change).await?;
            if !config.abort.is_cancelled() {
                let request = Request {
                    model: &request.model,
                    thinking_level: request.thinking_level,
                    api_key: request.api_key.as_deref(),
                    system_prompt: config.system_prompt,
                    messages: &request.messages,
                    tools: &config.dispatch.definitions(),
                    max_tokens: None,
                    hooks: config.hooks,
                };
                return Ok(stream::respond(config.provider, request, config.abort, config.events).await?);
            }
        }
        let message = stream::failure(config.model, true, ProviderError::new(ABORTED));
        let blocks = Some(message.content.len());
        config.events.emit(AgentEvent::MessageStart { role: Role::Assistant, tool_call_id: None, blocks });
        Ok(message)
    }

    async fn ask_for_change(&self) -> Result<RequestChange, RunFailure> {
        let view = View { context: self.context.messages(self.transcript), transcript: self.transcript.messages() };
        let request = RequestView { turn: self.turn, model: &self.model, thinking_level: self.thinking_level, view };
        Ok(self.config.hooks.prepare_request(request, self.config.abort).await?)
    }

    /// The request after all hooks. What a change says for the rest of the run is kept.
    async fn prepare(&mut self, change: RequestChange) -> Result<Prepared<'_>, RunFailure> {
        let RequestChange { run, request } = change;
        self.model = run.model.unwrap_or_else(|| self.model.clone());
        self.thinking_level = run.thinking_level.unwrap_or(self.thinking_level);
        if let Some(messages) = run.messages {
            self.context.replace(messages);
        }
        let hooks = self.config.hooks;
        let mut messages = match request.messages {
            Some(messages) => Cow::Owned(messages),
            None => Cow::Borrowed(self.context.messages(self.transcript)),
        };
        let view = View { context: &messages, transcript: self.transcript.messages() };
        if let Some(transformed) = hooks.transform_context(view, self.config.abort).await? {
            messages = Cow::Owned(transformed);
        }
        messages = match hooks.convert_to_llm(&messages).await? {
            Some(converted) => Cow::Owned(converted),
            None => sent(messages, self.transcript.holds_custom()),
        };
        let model = request.model.map_or(Cow::Borrowed(&self.model), Cow::Owned);
        let thinking_level = request.thinking_level.unwrap_or(self.thinking_level);
        let api_key = hooks.get_api_key(&model.provider).await?;
        Ok(Prepared { model, thinking_level, messages, api_key })
    }

    /// Makes the calls of a message. Gives their results as stored, and whether all of them ask to end the run.
    async fn batch(&mut self, message: &AssistantMessage, calls: &[&RequestedCall]) -> (Vec<Arc<Message>>, bool) {
        let shown = self.context.messages(self.transcript).len();
        let cut_off = message.stop_reason == StopReason::Length;
        let mode = |call: &&RequestedCall| self.config.dispatch.mode(&call.name);
        let sequential = self.config.sequential || calls.iter().any(|call| mode(call) == ExecutionMode::Sequential);
        let (mut results, mut terminate) = (Vec::with_capacity(calls.len()), !cut_off);
        if sequential || cut_off {
            for (index, call) in calls.iter().enumerate() {
                let batch = self.at(shown, calls.len());
                let settled = if cut_off { batch.cut_off(call) } else { batch.one(index, call).await };
                terminate &= settled.output.terminate;
                results.push(self.append_whole(result_message(call, &settled)));
            }
            return (results, terminate);
        }
        for (call, settled) in calls.iter().zip(self.at(shown, calls.len()).together(calls).await) {
            terminate &= settled.output.terminate;
            results.push(self.append_whole(result_message(call, &settled)));
        }
        (results, terminate)
    }

    /// A batch that sees the first `shown` messages of the context: those the model saw, and its message.
    fn at(&self, shown: usize, size: usize) -> Batch<'_> {
        let context = self.context.messages(self.transcript);
        let context = context.get(..shown).unwrap_or(context);
        let view = View { context, transcript: self.transcript.messages() };
        let config = self.config;
        let calls =
            Calls { dispatch: config.dispatch, hooks: config.hooks, abort: config.abort, view, turn: self.turn };
        Batch { calls, events: config.events, origin: Origin::Model, size }
    }
}
