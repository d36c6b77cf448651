//! One conversation.

mod handle;
mod say;

use std::sync::Arc;
use std::time::Duration;

use seam_loop::message::RequestedCall;
use seam_loop::{
    CancellationToken, Message, Model, Origin, Provider, Queue, Settled, ThinkingLevel, ToolOutput, Transcript,
    call_outside,
};
use seam_session::{SessionError, SessionLog};
use serde_json::Value;

use crate::bus::Trail;
use crate::dispatcher::Dispatcher;
use crate::event::{Reason, SessionEvent, Sink};
use crate::failure::Refused;
use crate::ids::UniqueIds;
use crate::observers::Observers;
use crate::record::Record;
use crate::seams::{Command, Resource, ResourceKind};
use crate::stored::Restored;
use crate::tell::Tell;

pub use handle::Handle;
pub use say::Heard;

/// How long observers may take to see the rest when a session is left.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// What a conversation is made of.
pub struct Parts {
    /// Where responses come from.
    pub provider: Arc<dyn Provider>,
    /// The way of tool calls, with the hooks in it.
    pub dispatcher: Dispatcher,
    /// What the user can type as `/name`.
    pub commands: Vec<Command>,
    /// The model.
    pub model: Model,
    /// The system prompt.
    pub system_prompt: String,
    /// Who is told.
    pub sink: Arc<dyn Sink>,
    /// Where the conversation is kept. One that holds something goes on. The hooks' conversation bears its id.
    pub log: Option<SessionLog>,
}

/// Why a conversation did not begin.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// A plugin failed that was set to refuse.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// What was said before cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Owns one conversation: its transcript, its queues, its provider, its plugins and the way its tool calls take.
pub struct Harness {
    provider: UniqueIds,
    dispatcher: Dispatcher,
    commands: Vec<Command>,
    resources: Vec<Resource>,
    model: Model,
    thinking_level: ThinkingLevel,
    system_prompt: String,
    transcript: Transcript,
    tell: Arc<Tell>,
    steering: Queue,
    follow_up: Queue,
    next_turn: Queue,
    calls: u32,
    /// The calls without a result that the conversation was left with. They get one when it goes on.
    interrupted: Vec<RequestedCall>,
}

impl Harness {
    /// Begins a conversation, or goes on with the one in the log, and asks plugins for their resources. It needs a running
    /// tokio runtime.
    ///
    /// Of the log come the messages of its branch, the thinking level, and the model if it is one of this provider. Calls
    /// without a result get one that says so when something is said next; none is made again, whatever its tool says of
    /// being made twice. The file is only added to.
    ///
    /// # Errors
    /// When the log cannot be read, or a plugin failed at its resources and was set to refuse.
    pub async fn start(parts: Parts) -> Result<Self, NotStarted> {
        let Parts { provider, dispatcher, commands, model, system_prompt, sink, log } = parts;
        let restored = log.as_ref().map(|log| Restored::of(log.session())).transpose()?.unwrap_or_default();
        let reason = if restored.messages.is_empty() { Reason::Startup } else { Reason::Resume };
        let observers = Observers::start(&dispatcher.bus().observers, &sink);
        let (record, conversation) = (log.map(Record::new), Arc::clone(&dispatcher.bus().conversation));
        let transcript: Transcript = restored.messages.into_iter().collect();
        transcript.messages().iter().for_each(|message| conversation.push(Arc::clone(message)));
        let model = restored.model.filter(|model| model.provider == provider.name()).unwrap_or(model);
        let mut harness = Self {
            provider: UniqueIds::new(provider, given(&transcript)),
            dispatcher,
            commands,
            resources: Vec::new(),
            model,
            thinking_level: restored.thinking_level,
            system_prompt,
            transcript,
            tell: Arc::new(Tell { record, conversation, observers, sink }),
            steering: Queue::default(),
            follow_up: Queue::default(),
            next_turn: Queue::new(seam_loop::QueueMode::All),
            calls: 0,
            interrupted: restored.open,
        };
        harness.tell.tell(SessionEvent::SessionStart { reason, previous: None });
        restored.notices.into_iter().for_each(|text| harness.tell.tell(SessionEvent::Notice { text }));
        if let Err(refused) = harness.discover(reason).await {
            harness.tell.record.iter().for_each(Record::close);
            return Err(refused.into());
        }
        Ok(harness)
    }

    /// Asks plugins for skills and prompt templates again.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn discover(&mut self, reason: Reason) -> Result<(), Refused> {
        let bus = self.dispatcher.bus();
        let mut trail = Trail::new();
        let found = bus.resources_discover(reason, &self.tell.conversation.moment(), &mut trail).await;
        self.tell.decided(trail);
        let found = found?;
        if found == self.resources {
            return Ok(());
        }
        self.resources = found;
        let named = |kind| {
            let of_kind = self.resources.iter().filter(move |resource| resource.kind == kind);
            of_kind.map(|resource| resource.name.clone()).collect()
        };
        let (skills, prompt_templates) = (named(ResourceKind::Skill), named(ResourceKind::PromptTemplate));
        self.tell.tell(SessionEvent::ResourcesUpdate { skills, prompt_templates });
        Ok(())
    }

    /// Makes a tool call outside a run: for the user, or for a session that is resumed. It takes the way of every call.
    pub async fn call(&mut self, origin: Origin, tool: &str, arguments: Value, abort: &CancellationToken) -> Settled {
        if let Some(failure) = self.tell.failure() {
            return Settled { output: ToolOutput::error(failure), decisions: Vec::new() };
        }
        self.calls += 1;
        let id = format!("outside-{}", self.calls);
        let call = RequestedCall { id, name: tool.to_owned(), arguments, arguments_error: None };
        call_outside(&self.dispatcher, &*self.tell, abort, origin, &call).await
    }

    /// Chooses another model, from the next run on. If that cannot be stored nothing changes, and the next run says why.
    pub fn set_model(&mut self, model: Model) {
        if model != self.model && self.stores(&model, self.thinking_level) {
            let previous = std::mem::replace(&mut self.model, model.clone());
            self.tell.tell(SessionEvent::ModelSelect { model, previous });
        }
    }

    /// Chooses how much the model should think, from the next run on. If that cannot be stored nothing changes, and the
    /// next run says why.
    pub fn set_thinking_level(&mut self, level: ThinkingLevel) {
        if level != self.thinking_level && self.stores(&self.model, level) {
            let previous = std::mem::replace(&mut self.thinking_level, level);
            self.tell.tell(SessionEvent::ThinkingLevelSelect { level, previous });
        }
    }

    /// Whether model and thinking level are stored, if anything is.
    fn stores(&self, model: &Model, level: ThinkingLevel) -> bool {
        self.tell.record.as_ref().is_none_or(|record| record.settings(model, level))
    }

    /// A handle that can put messages into the queues while a run lasts.
    pub fn handle(&self) -> Handle {
        Handle {
            tell: Arc::clone(&self.tell),
            steering: self.steering.clone(),
            follow_up: self.follow_up.clone(),
            next_turn: self.next_turn.clone(),
        }
    }

    /// The commands on offer.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The skills and prompt templates on offer.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// What was said so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Leaves the session. Observers see what is left, for two seconds at most. A file in which nothing was stored is
    /// removed.
    pub async fn close(self, reason: Reason) {
        self.tell.tell(SessionEvent::SessionShutdown { reason });
        self.tell.observers.close(LAST_LOOK, &*self.tell.sink).await;
        self.tell.record.iter().for_each(Record::close);
    }
}

/// The ids of all calls.
fn given(transcript: &Transcript) -> impl Iterator<Item = String> {
    let calls = transcript.messages().iter().filter_map(|message| match &**message {
        Message::Assistant(said) => Some(said.tool_calls().map(|call| call.id.clone())),
        _ => None,
    });
    calls.flatten()
}

#[cfg(test)]
mod tests;
