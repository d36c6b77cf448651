//! One run: from a prompt to the moment the model has nothing more to do.

mod turn;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::dispatch::Dispatch;
use crate::event::{AgentEvent, EventSink, Role};
use crate::hooks::{HookError, Hooks, Next, TurnChange, TurnView};
use crate::message::{AssistantMessage, Message, StopReason};
use crate::provider::{ErrorKind, Model, Provider, ProviderError, ThinkingLevel};
use crate::queue::Queue;
use crate::stream;
use crate::transcript::Transcript;
use turn::Turn;

/// What a run works with. It does not change while the run lasts.
pub struct RunConfig<'a> {
    /// Where responses come from.
    pub provider: &'a dyn Provider,
    /// Where tool calls go.
    pub dispatch: &'a dyn Dispatch,
    /// Who takes part.
    pub hooks: &'a dyn Hooks,
    /// Who is told.
    pub events: &'a dyn EventSink,
    /// Messages that join the run at its next request.
    pub steering: &'a Queue,
    /// Messages that keep the run going when it would stop.
    pub follow_up: &'a Queue,
    /// The model, until a hook names another.
    pub model: &'a Model,
    /// How much it should think, until a hook says otherwise.
    pub thinking_level: ThinkingLevel,
    /// The system prompt.
    pub system_prompt: &'a str,
    /// Whether the calls of one message run one at a time, whatever the tools say.
    pub sequential: bool,
    /// Fires when the user aborts.
    pub abort: &'a CancellationToken,
}

/// Why a run cannot begin. Nothing was told and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// There is nothing to go on from.
    #[error("No messages to continue from")]
    Empty,
    /// The model has had the last word, and nothing waits.
    #[error("Cannot continue from message role: assistant")]
    Answered,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Why the last response ended.
    pub stop_reason: StopReason,
    /// What failed, if anything did.
    pub error: Option<String>,
    /// What kind of failure that is.
    pub kind: ErrorKind,
}

impl RunOutcome {
    /// That of a run whose last message this is.
    fn of(last: &AssistantMessage) -> Self {
        Self { stop_reason: last.stop_reason, error: last.error_message.clone(), kind: last.error_kind }
    }

    /// That of a run which the user aborted.
    pub fn aborted() -> Self {
        let error = Some("Operation aborted".to_owned());
        Self { stop_reason: StopReason::Aborted, error, kind: ErrorKind::Other }
    }
}

/// Appends the prompts and goes on until the model has nothing more to do, a whole batch asks to stop, a hook ends it,
/// something fails, or the user aborts. A failure is an outcome: the transcript stays usable. Without prompts it goes on
/// from what is there, whatever comes last.
pub async fn prompt(config: &RunConfig<'_>, transcript: &mut Transcript, prompts: Vec<Message>) -> RunOutcome {
    run(config, transcript, prompts, true).await
}

/// Goes on from what is there: a transcript that ends with something to answer, or what waits in the queues.
///
/// # Errors
/// When there is nothing to go on from.
pub async fn continue_run(config: &RunConfig<'_>, transcript: &mut Transcript) -> Result<RunOutcome, StartError> {
    let last = transcript.messages().last().ok_or(StartError::Empty)?;
    if !matches!(**last, Message::Assistant(_)) {
        return Ok(run(config, transcript, Vec::new(), true).await);
    }
    let steering = config.steering.poll();
    if !steering.is_empty() {
        return Ok(run(config, transcript, steering, false).await);
    }
    let follow_up = config.follow_up.poll();
    if follow_up.is_empty() {
        return Err(StartError::Answered);
    }
    Ok(run(config, transcript, follow_up, true).await)
}

/// `poll`: whether steering is polled before the first request.
async fn run(config: &RunConfig<'_>, transcript: &mut Transcript, prompts: Vec<Message>, poll: bool) -> RunOutcome {
    let mut run = Run {
        config,
        transcript,
        context: Context::default(),
        added: Vec::new(),
        model: config.model.clone(),
        thinking_level: config.thinking_level,
        turn: 0,
        open: false,
    };
    config.events.emit(AgentEvent::AgentStart);
    let (outcome, messages) = match run.turns(prompts, poll).await {
        Ok(outcome) => (outcome, run.added.clone()),
        Err(failure) => run.fail(failure),
    };
    let added = run.added.len();
    config.events.emit(AgentEvent::AgentEnd { messages, added });
    outcome
}

/// Why a run cannot go on.
struct RunFailure(ProviderError);

impl From<HookError> for RunFailure {
    fn from(error: HookError) -> Self {
        Self(ProviderError::new(error.to_string()))
    }
}

impl From<ProviderError> for RunFailure {
    fn from(error: ProviderError) -> Self {
        Self(error)
    }
}

/// Messages that were polled and not yet delivered.
struct Queued {
    queue: Queue,
    messages: Vec<Message>,
}

impl Queued {
    fn poll(queue: &Queue) -> Self {
        Self { queue: queue.clone(), messages: queue.poll() }
    }
}

/// A run under way.
struct Run<'a> {
    config: &'a RunConfig<'a>,
    transcript: &'a mut Transcript,
    context: Context,
    /// What it has added, also to a transcript that another took the place of.
    added: Vec<Arc<Message>>,
    model: Model,
    thinking_level: ThinkingLevel,
    /// The number of the turn, from 1.
    turn: u32,
    /// Whether a turn has begun and not ended.
    open: bool,
}

impl Run<'_> {
    async fn turns(&mut self, prompts: Vec<Message>, poll: bool) -> Result<RunOutcome, RunFailure> {
        self.start_turn();
        self.append_all(prompts);
        let queued = if poll { self.config.steering.poll() } else { Vec::new() };
        self.append_all(queued);
        loop {
            let turn = self.turn().await?;
            let Some(queued) = self.what_follows(&turn) else { return Ok(turn.outcome()) };
            self.prepare_next(&turn, queued).await?;
        }
    }

    /// What is queued for the next turn, or none when there is no next turn.
    fn what_follows(&self, turn: &Turn) -> Option<Queued> {
        if turn.is_last(self.config.abort) {
            return None;
        }
        let steering = Queued::poll(self.config.steering);
        if turn.wants_results_read() || !steering.messages.is_empty() {
            return Some(steering);
        }
        let follow_up = Queued::poll(self.config.follow_up);
        (!follow_up.messages.is_empty() || turn.next == Next::Continue).then_some(follow_up)
    }

    async fn prepare_next(&mut self, turn: &Turn, mut queued: Queued) -> Result<(), RunFailure> {
        let change = match self.ask_for_next(turn).await {
            Ok(change) => change,
            Err(error) => {
                queued.queue.put_back(queued.messages);
                return Err(error.into());
            }
        };
        if queued.messages.is_empty() {
            queued = Queued::poll(self.config.steering);
        }
        if let Some(transcript) = change.transcript {
            *self.transcript = transcript.into_iter().collect();
            self.context = Context::default();
        }
        for message in change.stored {
            self.context.push(&message);
            self.transcript.share(message);
        }
        self.start_turn();
        if let Some(context) = change.context {
            self.context.replace(context);
        }
        self.model = change.model.unwrap_or_else(|| self.model.clone());
        self.thinking_level = change.thinking_level.unwrap_or(self.thinking_level);
        self.append_all(change.messages);
        self.append_all(queued.messages);
        Ok(())
    }

    async fn ask_for_next(&self, turn: &Turn) -> Result<TurnChange, HookError> {
        let view = self.turn_view(&turn.message, &turn.results);
        self.config.hooks.prepare_next_turn_with_context(view, self.config.abort).await
    }

    fn turn_view<'v>(&'v self, message: &'v AssistantMessage, tool_results: &'v [Arc<Message>]) -> TurnView<'v> {
        TurnView {
            turn: self.turn,
            model: &self.model,
            thinking_level: self.thinking_level,
            message,
            tool_results,
            context: self.context.messages(self.transcript),
            new_messages: &self.added,
        }
    }

    fn start_turn(&mut self) {
        self.turn += 1;
        self.open = true;
        self.config.events.emit(AgentEvent::TurnStart { turn: self.turn });
    }

    fn end_turn(&mut self, message: Arc<Message>, tool_results: Vec<Arc<Message>>) {
        self.open = false;
        self.config.events.emit(AgentEvent::TurnEnd { turn: self.turn, message, tool_results });
    }

    /// Ends a run that cannot go on: with a message that says so, in a turn, so that every start has its end.
    fn fail(&mut self, RunFailure(error): RunFailure) -> (RunOutcome, Vec<Arc<Message>>) {
        if !self.open {
            self.start_turn();
        }
        let message = stream::failure(self.config.model, self.config.abort.is_cancelled(), error);
        let outcome = RunOutcome::of(&message);
        let message = self.append_whole(Message::Assistant(message));
        self.end_turn(Arc::clone(&message), Vec::new());
        (outcome, vec![message])
    }

    fn append_all(&mut self, messages: Vec<Message>) {
        for message in messages {
            self.append_whole(message);
        }
    }

    /// Appends a message that comes whole.
    fn append_whole(&mut self, message: Message) -> Arc<Message> {
        let (role, tool_call_id, blocks) = match &message {
            Message::User(_) => (Role::User, None, None),
            Message::Assistant(message) => (Role::Assistant, None, Some(message.content.len())),
            Message::ToolResult(result) => (Role::ToolResult, Some(result.tool_call_id.clone()), None),
            Message::Custom(_) => (Role::Custom, None, None),
        };
        self.config.events.emit(AgentEvent::MessageStart { role, tool_call_id, blocks });
        self.append(message)
    }

    /// Appends a message and tells that it is final.
    fn append(&mut self, message: Message) -> Arc<Message> {
        let message = self.transcript.push(message);
        self.context.push(&message);
        self.added.push(Arc::clone(&message));
        self.config.events.emit(AgentEvent::MessageEnd { message: Arc::clone(&message) });
        message
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;

#[cfg(test)]
mod told;

#[cfg(test)]
mod between;
