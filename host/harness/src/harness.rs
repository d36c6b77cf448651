//! One conversation.

mod compact;
mod handle;
mod heal;
mod replace;
mod retry;
mod run;
mod say;
mod summary;
mod switch;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use seam_loop::message::{CustomMessage, RequestedCall};
use seam_loop::{
    CancellationToken, Message, Model, Origin, Provider, Queue, Settled, ThinkingLevel, ToolOutput, Transcript,
    call_outside,
};
use seam_session::{SessionError, SessionLog};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::bus::{HookBus, Trail};
use crate::compaction::Length;
use crate::dispatcher::Dispatcher;
use crate::event::{Reason, SessionEvent, Sink};
use crate::failure::Refused;
use crate::ids::UniqueIds;
use crate::moment::Conversation;
use crate::observers::Observers;
use crate::reach::Reach;
use crate::record::Record;
use crate::seams::{Command, Resource, ResourceKind};
use crate::settings::{Chosen, InvalidTools, MissingTools, Restore, Settings};
use crate::stored::{self, Restored};
use crate::tell::Tell;
use crate::upkeep::Upkeep;

pub(crate) use compact::Compactor;
pub use compact::{Compacted, NotCompacted};
pub use handle::Handle;
pub use replace::{NewPlugins, NotReplaced};
pub(crate) use retry::Again;
pub use say::Heard;
pub use summary::NoSummary;
pub use switch::{NewFork, NotForked, NotSwitched, fork};
pub use tree::{Left, Move, Moved, NotMoved};

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
    /// How it is kept going when it gets long or the provider fails.
    pub upkeep: Upkeep,
    /// What becomes of tools that the session has active and that are not there.
    pub restore: Restore,
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
    /// Tools are not there that the session has active.
    #[error(transparent)]
    MissingTools(#[from] MissingTools),
}

/// Owns one conversation: its transcript, its queues, its provider, its plugins and the way its tool calls take.
pub struct Harness {
    provider: Arc<UniqueIds>,
    dispatcher: Arc<Dispatcher>,
    commands: Vec<Command>,
    resources: Vec<Resource>,
    system_prompt: String,
    transcript: Transcript,
    tell: Arc<Tell>,
    upkeep: Upkeep,
    length: Length,
    steering: Queue,
    follow_up: Queue,
    next_turn: Queue,
    calls: u32,
    /// The calls without a result that the conversation was left with. They get one when it goes on.
    interrupted: Vec<RequestedCall>,
    /// What plugins may be granted. The conversation finds it as long as it is here.
    reach: Arc<Reach>,
    /// The observers of plugins that others took the place of, as long as they see the rest.
    leaving: Vec<JoinHandle<()>>,
}

impl Harness {
    /// Begins a conversation, or goes on with the one in the log, and asks plugins for their resources. It needs a
    /// running tokio runtime.
    ///
    /// Of the log come the messages of its branch, the thinking level, the active tools, and the model if its provider is
    /// there. Calls without a result get one when something is said next: one that says so, unless the journal
    /// and the tool agree that the call may be made again. The file is only added to.
    ///
    /// # Errors
    /// When the log cannot be read, tools are missing without which it is not to go on, or a plugin failed at its
    /// resources and was set to refuse.
    pub async fn start(parts: Parts) -> Result<Self, NotStarted> {
        Self::begin(parts, None).await
    }

    /// The same, in the place of another session: why, and the id of that one.
    async fn begin(parts: Parts, from: Option<(Reason, String)>) -> Result<Self, NotStarted> {
        let Parts { provider, dispatcher, commands, model, system_prompt, sink, log, restore, upkeep } = parts;
        let restored = log.as_ref().map(|log| Restored::of(log.session())).transpose()?.unwrap_or_default();
        let hidden = log.as_ref().map(|log| stored::hidden_calls(log.session(), &restored.sources)).transpose()?;
        let tools: Vec<String> = dispatcher.tools().names().map(str::to_owned).collect();
        let restored_tools = restore.apply(restored.active_tools, &tools)?;
        let usual = if restored.messages.is_empty() { Reason::Startup } else { Reason::Resume };
        let (reason, previous) = from.map_or((usual, None), |(reason, previous)| (reason, Some(previous)));
        let observers = Observers::start(&dispatcher.bus().observers, &sink);
        let (record, conversation) = (
            log.map(|log| Record::new(log, dispatcher.bus().journal.clone())),
            Arc::clone(&dispatcher.bus().conversation),
        );
        let transcript: Transcript = restored.messages.into_iter().collect();
        transcript.messages().iter().for_each(|message| conversation.push(Arc::clone(message)));
        let length = Length::default();
        length.begin(transcript.messages(), restored.shortened);
        let earlier = restored.model.as_ref().map(|model| model.provider.clone());
        let (model, notice) = chosen(restored.model, model, &provider.names());
        let (thinking_level, active_tools) = (restored.thinking_level, restored_tools.active);
        let settings = Settings::new(Chosen { model, thinking_level, active_tools }, tools);
        let given = shown_calls(&transcript).chain(hidden.into_iter().flatten());
        let (provider, dispatcher) = (Arc::new(UniqueIds::new(provider, given)), Arc::new(dispatcher));
        let tell = Arc::new(Tell::new(record, conversation, observers, sink, settings));
        let handle = Handle::new(&tell);
        let reach = Arc::new(Reach::new(handle.clone(), Arc::clone(&dispatcher), Arc::clone(&provider), upkeep.retry));
        tell.conversation.bind(&reach);
        tell.conversation.states.begin(tell.record.as_ref())?;
        let Handle { steering, follow_up, next_turn, .. } = handle;
        let mut harness = Self {
            provider,
            dispatcher,
            commands,
            resources: Vec::new(),
            system_prompt,
            transcript,
            tell,
            upkeep,
            length,
            steering,
            follow_up,
            next_turn,
            calls: 0,
            interrupted: restored.open,
            reach,
            leaving: Vec::new(),
        };
        harness.tell.settings.set_unanswered(!harness.interrupted.is_empty());
        harness.hide_keys(harness.dispatcher.bus(), earlier).await;
        harness.tell.tell(SessionEvent::SessionStart { reason, previous });
        let notices = restored.notices.into_iter().chain(restored_tools.notice).chain(notice);
        notices.for_each(|text| harness.tell.tell(SessionEvent::Notice { text }));
        if let Err(refused) = harness.discover(reason).await {
            harness.tell.record.iter().for_each(Record::close);
            return Err(refused.into());
        }
        Ok(harness)
    }

    /// Asks for the provider's key, and for that of the session's before, before anything that was said is shown to plugins:
    /// the journal hides them from then on.
    /// What comes of it counts only when a request is made.
    async fn hide_keys(&self, bus: &HookBus, earlier: Option<String>) {
        if bus.journal.is_none() || bus.get_api_key.is_empty() {
            return;
        }
        let provider = self.tell.settings.chosen().model.provider;
        for provider in earlier.filter(|earlier| *earlier != provider).into_iter().chain([provider]) {
            let _key = bus.get_api_key(&provider, &self.tell.conversation.moment(), &mut Trail::new()).await;
        }
    }

    /// Asks plugins for skills and prompt templates again.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn discover(&mut self, reason: Reason) -> Result<(), Refused> {
        let found = self.found(self.dispatcher.bus(), reason).await?;
        self.offer(found);
        Ok(())
    }

    /// What these plugins offer.
    async fn found(&self, bus: &HookBus, reason: Reason) -> Result<Vec<Resource>, Refused> {
        let mut trail = Trail::new();
        let found = bus.resources_discover(reason, &self.tell.conversation.moment(), &mut trail).await;
        self.tell.decided(trail);
        found
    }

    /// From here on these are on offer.
    fn offer(&mut self, found: Vec<Resource>) {
        if found == self.resources {
            return;
        }
        self.resources = found;
        let named = |kind| {
            let of_kind = self.resources.iter().filter(move |resource| resource.kind == kind);
            of_kind.map(|resource| resource.name.clone()).collect()
        };
        let (skills, prompt_templates) = (named(ResourceKind::Skill), named(ResourceKind::PromptTemplate));
        self.tell.tell(SessionEvent::ResourcesUpdate { skills, prompt_templates });
    }

    /// Makes a tool call outside a run: for the user, or for a session that is resumed. It takes the way of every call.
    pub async fn call(&mut self, origin: Origin, tool: &str, arguments: Value, abort: &CancellationToken) -> Settled {
        if let Some(failure) = self.tell.failure() {
            return Settled { output: ToolOutput::error(failure), decisions: Vec::new() };
        }
        self.calls += 1;
        let run = self.dispatcher.bus().journal.as_ref().map_or(0, |journal| journal.run());
        let id = self.provider.take(format!("outside-{run}-{}", self.calls));
        let call = RequestedCall { id, name: tool.to_owned(), arguments, arguments_error: None, signature: None };
        let made = call_outside(&*self.dispatcher, &*self.tell, abort, origin, &call);
        self.tell.heeding(abort, made).await
    }

    /// Chooses another model. See [`Handle::set_model`].
    pub fn set_model(&mut self, model: Model) {
        self.handle().set_model(model);
    }

    /// Chooses how much the model should think. See [`Handle::set_thinking_level`].
    pub fn set_thinking_level(&mut self, level: ThinkingLevel) {
        self.handle().set_thinking_level(level);
    }

    /// Begins with this much thinking, in a session in which nothing was said. It is stored with what is said first.
    pub fn begin_with(&mut self, level: ThinkingLevel) {
        self.tell.settings.begin_with(level);
    }

    /// Chooses the tools that the model may call. See [`Handle::set_active_tools`].
    ///
    /// # Errors
    /// When a name stands there twice, or no tool has it.
    pub fn set_active_tools(&mut self, names: Vec<String>) -> Result<(), InvalidTools> {
        self.handle().set_active_tools(names)
    }

    /// Adds a message that nobody answers. See [`Handle::append_message`].
    pub fn append_message(&mut self, message: CustomMessage) {
        self.handle().append_message(message);
        self.sync();
    }

    /// A handle for others, while a run lasts.
    pub fn handle(&self) -> Handle {
        Handle {
            tell: Arc::clone(&self.tell),
            steering: self.steering.clone(),
            follow_up: self.follow_up.clone(),
            next_turn: self.next_turn.clone(),
        }
    }

    /// Lets the model call the tools that are chosen.
    fn activate(&self) {
        self.dispatcher.tools().activate(self.tell.settings.chosen().active_tools.as_deref());
    }

    /// Puts other messages in the place of all, for the model and for hooks. The file stays as it is.
    pub(crate) fn replace(&mut self, messages: Vec<Arc<Message>>) {
        self.tell.settings.take_stored();
        self.tell.conversation.replace(messages.iter().cloned());
        self.transcript = messages.into_iter().collect();
    }

    /// Takes the messages from the file, as the branch to its leaf has them. Model, thinking level and tools stay.
    pub(crate) fn reload(&mut self) -> Result<(), SessionError> {
        let Some(record) = &self.tell.record else { return Ok(()) };
        let Restored { messages, open, shortened, .. } = record.read(Restored::of)?;
        self.replace(messages.into_iter().map(Arc::new).collect());
        self.length.begin(self.transcript.messages(), shortened);
        self.tell.settings.set_unanswered(!open.is_empty());
        self.interrupted = open;
        self.tell.record.as_ref().map_or(Ok(()), |record| self.tell.conversation.states.reload(record))
    }

    /// What hooks may read of it. Plugins that are to take the place of those there are are connected to it first.
    pub fn conversation(&self) -> &Arc<Conversation> {
        &self.tell.conversation
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
        self.tell.flush();
        self.tell.tell(SessionEvent::SessionShutdown { reason });
        let observers = self.tell.observers();
        tokio::join!(observers.close(LAST_LOOK, &*self.tell.sink), replace::gone(self.leaving));
        self.tell.record.iter().for_each(Record::close);
    }
}

/// The model a conversation goes on with: its own if it is there. With what is told when it is not.
fn chosen(own: Option<Model>, otherwise: Model, there: &[&str]) -> (Model, Option<String>) {
    match own {
        Some(own) if there.contains(&&*own.provider) => (own, None),
        Some(own) => {
            let text = format!("its model was {own}, which is not there: it goes on with {otherwise}");
            (otherwise, Some(text))
        }
        None => (otherwise, None),
    }
}

/// The ids of the calls that a conversation shows.
fn shown_calls(transcript: &Transcript) -> impl Iterator<Item = String> {
    let calls = transcript.messages().iter().filter_map(|message| match &**message {
        Message::Assistant(said) => Some(said.tool_calls().map(|call| call.id.clone())),
        _ => None,
    });
    calls.flatten()
}

#[cfg(test)]
mod tests;
