//! One conversation.

mod handle;
mod say;

use std::sync::Arc;
use std::time::Duration;

use seam_loop::message::RequestedCall;
use seam_loop::{CancellationToken, Model, Origin, Provider, Queue, Settled, ThinkingLevel, Transcript, call_outside};
use serde_json::Value;

use crate::bus::Trail;
use crate::dispatcher::Dispatcher;
use crate::event::{Reason, SessionEvent, Sink};
use crate::failure::Refused;
use crate::ids::UniqueIds;
use crate::observers::Observers;
use crate::seams::{Command, Resource, ResourceKind};
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
}

impl Harness {
    /// Begins an empty conversation, and asks plugins for their resources. It needs a running tokio runtime.
    ///
    /// # Errors
    /// When a plugin failed at that and was set to refuse.
    pub async fn start(parts: Parts) -> Result<Self, Refused> {
        let Parts { provider, dispatcher, commands, model, system_prompt, sink } = parts;
        let observers = Observers::start(&dispatcher.bus().observers, &sink);
        let tell = Arc::new(Tell { conversation: Arc::clone(&dispatcher.bus().conversation), observers, sink });
        let mut harness = Self {
            provider: UniqueIds::new(provider),
            dispatcher,
            commands,
            resources: Vec::new(),
            model,
            thinking_level: ThinkingLevel::default(),
            system_prompt,
            transcript: Transcript::new(),
            tell,
            steering: Queue::default(),
            follow_up: Queue::default(),
            next_turn: Queue::new(seam_loop::QueueMode::All),
            calls: 0,
        };
        harness.tell.tell(SessionEvent::SessionStart { reason: Reason::Startup, previous: None });
        harness.discover(Reason::Startup).await?;
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
        self.calls += 1;
        let id = format!("outside-{}", self.calls);
        let call = RequestedCall { id, name: tool.to_owned(), arguments, arguments_error: None };
        call_outside(&self.dispatcher, &*self.tell, abort, origin, &call).await
    }

    /// Chooses another model, from the next run on.
    pub fn set_model(&mut self, model: Model) {
        if model != self.model {
            let previous = std::mem::replace(&mut self.model, model.clone());
            self.tell.tell(SessionEvent::ModelSelect { model, previous });
        }
    }

    /// Chooses how much the model should think, from the next run on.
    pub fn set_thinking_level(&mut self, level: ThinkingLevel) {
        if level != self.thinking_level {
            let previous = std::mem::replace(&mut self.thinking_level, level);
            self.tell.tell(SessionEvent::ThinkingLevelSelect { level, previous });
        }
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

    /// Leaves the session. Observers see what is left, for two seconds at most.
    pub async fn close(self, reason: Reason) {
        self.tell.tell(SessionEvent::SessionShutdown { reason });
        self.tell.observers.close(LAST_LOOK, &*self.tell.sink).await;
    }
}
