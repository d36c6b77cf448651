//! What a session tells the world: everything of its runs, and what happens around them. Observation only.

use std::sync::Arc;

use seam_loop::{AgentEvent, Decision, Header, Model, ThinkingLevel};
use serde::Serialize;
use serde_json::Value;

/// Takes events, in order. It must return fast; slow work belongs behind a queue.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: Event);
}

impl<F: Fn(Event) + Send + Sync> Sink for F {
    fn emit(&self, event: Event) {
        self(event);
    }
}

/// One thing that happened.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// In a run.
    Agent(AgentEvent),
    /// Around it.
    Session(SessionEvent),
}

/// Why a session begins or is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The plugins are loaded again.
    Reload,
    /// A fork is made.
    Fork,
    /// One from before is opened.
    Resume,
    /// A new one takes its place.
    New,
    /// The agent starts.
    Startup,
    /// The agent ends.
    Quit,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CallOutcome {
    /// It was not run. Nothing happened.
    NotRun,
    /// It ran and failed.
    Failed,
    /// It was given up on its way: the user aborted what it is within, or its time was over. It may have had effects.
    GivenUp,
    /// It did what was asked.
    Done,
}

/// One thing that happened around the runs of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SessionEvent {
    /// The session begins.
    SessionStart {
        /// Why.
        reason: Reason,
        /// The session before it.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous: Option<String>,
    },
    /// Something of the session is not as its file has it, or the file was mended.
    Notice {
        /// What, in words for the user.
        text: String,
    },
    /// The session is left.
    SessionShutdown {
        /// Why.
        reason: Reason,
    },
    /// The session was compacted.
    SessionCompact {
        /// The id of the entry; empty when the session is not kept.
        entry: String,
        /// What stands for the messages that are not kept.
        summary: String,
        /// The plugin that supplied it.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_plugin: Option<Arc<str>>,
    },
    /// The user moved to another place of the session's tree.
    SessionTree {
        /// The id of the entry the user is at now.
        new_leaf: Option<String>,
        /// The id of the entry the user was at.
        old_leaf: Option<String>,
        /// The plugin that supplied the summary.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_plugin: Option<Arc<str>>,
    },
    /// Another model was chosen.
    ModelSelect {
        /// The model.
        model: Model,
        /// The one before.
        previous: Model,
    },
    /// Another thinking level was chosen.
    ThinkingLevelSelect {
        /// The level.
        level: ThinkingLevel,
        /// The one before.
        previous: ThinkingLevel,
    },
    /// The tools changed.
    ToolsUpdate {
        /// The names of all tools.
        tools: Vec<String>,
        /// The names of those the model may call.
        active: Vec<String>,
    },
    /// Skills or prompt templates changed.
    ResourcesUpdate {
        /// The names of the skills.
        skills: Vec<String>,
        /// The names of the prompt templates.
        prompt_templates: Vec<String>,
    },
    /// A queue changed.
    QueueUpdate {
        /// Messages that join the run at its next request.
        steering: usize,
        /// Messages that keep the run going when it would stop.
        follow_up: usize,
        /// Messages that go with the next prompt.
        next_turn: usize,
    },
    /// Everything so far is stored.
    SavePoint {
        /// Whether something had waited to be stored.
        pending: bool,
    },
    /// The provider failed in a way which may pass, and is asked again after a while.
    RetryScheduled {
        /// The number of the attempt, from 1.
        attempt: u32,
        /// How many there may be.
        of: u32,
        /// How long it waits, in milliseconds.
        wait_ms: u64,
        /// What the provider said.
        error: String,
    },
    /// The user aborted a run.
    Abort {
        /// Steering messages that were dropped with it.
        cleared_steering: usize,
        /// Follow-up messages that were dropped with it.
        cleared_follow_up: usize,
    },
    /// The agent is idle.
    Settled {
        /// Messages that wait for the next prompt.
        next_turn: usize,
    },
    /// The head of a provider's response arrived.
    AfterProviderResponse {
        /// The model that was asked.
        model: Model,
        /// The HTTP status.
        status: u16,
        /// The headers. [`SessionEvent::response`] leaves those out that are nobody's business.
        headers: Vec<Header>,
    },
    /// Somebody decided something that is not about a tool call, or failed to. Nothing is told of those with nothing
    /// to say.
    Decided {
        /// Who, where and what.
        decision: Decision,
    },
    /// A plugin called a tool, and the call is over. Observers are not told: they could answer it with another.
    PluginCalled {
        /// The plugin.
        plugin: Arc<str>,
        /// The id of the call.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments the plugin gave.
        args: Value,
        /// What became of it.
        outcome: CallOutcome,
        /// What it says, if it did not do what was asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Who was asked about it, and what they said. Not known of one that was given up.
        decisions: Vec<Decision>,
    },
    /// A plugin says something to the user.
    PluginNotice {
        /// The plugin.
        plugin: Arc<str>,
        /// What.
        text: String,
    },
    /// A plugin says what it is doing.
    PluginStatus {
        /// The plugin.
        plugin: Arc<str>,
        /// What; empty when it is over.
        text: String,
    },
    /// An observer failed at an event. Nothing else is affected.
    ObserverFailed {
        /// The plugin.
        plugin: Arc<str>,
        /// The seam.
        seam: &'static str,
        /// How.
        failure: String,
    },
    /// An observer is behind.
    ObserverBehind {
        /// The plugin.
        plugin: Arc<str>,
        /// How many events wait for it.
        waiting: usize,
        /// Whether they are given up, since the session ends or other plugins took its place.
        given_up: bool,
    },
}

impl SessionEvent {
    /// The head of a response arrived. Without the headers that may carry a key.
    pub fn response(model: Model, status: u16, mut headers: Vec<Header>) -> Self {
        headers.retain(|header| !header.is_secret());
        Self::AfterProviderResponse { model, status, headers }
    }
}

impl Event {
    /// The seam at which observers see it, if there is one.
    pub fn seam(&self) -> Option<&'static str> {
        Some(match self {
            Self::Agent(event) => match event {
                AgentEvent::AgentStart => "agent-start",
                AgentEvent::AgentEnd { .. } => "agent-end",
                AgentEvent::TurnStart { .. } => "turn-start",
                AgentEvent::TurnEnd { .. } => "turn-end",
                AgentEvent::MessageStart { .. } => "message-start",
                AgentEvent::MessageUpdate { .. } => "message-update",
                AgentEvent::MessageEnd { .. } => "message-end",
                AgentEvent::ToolExecutionStart { .. } => "tool-execution-start",
                AgentEvent::ToolExecutionUpdate { .. } => "tool-execution-update",
                AgentEvent::ToolExecutionEnd { .. } => "tool-execution-end",
            },
            Self::Session(event) => match event {
                SessionEvent::SessionStart { .. } => "session-start",
                SessionEvent::SessionShutdown { .. } => "session-shutdown",
                SessionEvent::SessionCompact { .. } => "session-compact",
                SessionEvent::SessionTree { .. } => "session-tree",
                SessionEvent::ModelSelect { .. } => "model-select",
                SessionEvent::ThinkingLevelSelect { .. } => "thinking-level-select",
                SessionEvent::ToolsUpdate { .. } => "tools-update",
                SessionEvent::ResourcesUpdate { .. } => "resources-update",
                SessionEvent::QueueUpdate { .. } => "queue-update",
                SessionEvent::SavePoint { .. } => "save-point",
                SessionEvent::Abort { .. } => "abort",
                SessionEvent::Settled { .. } => "settled",
                SessionEvent::AfterProviderResponse { .. } => "after-provider-response",
                SessionEvent::Notice { .. }
                | SessionEvent::PluginCalled { .. }
                | SessionEvent::PluginNotice { .. }
                | SessionEvent::PluginStatus { .. }
                | SessionEvent::RetryScheduled { .. }
                | SessionEvent::Decided { .. }
                | SessionEvent::ObserverFailed { .. }
                | SessionEvent::ObserverBehind { .. } => return None,
            },
        })
    }
}

impl From<SessionEvent> for Event {
    fn from(event: SessionEvent) -> Self {
        Self::Session(event)
    }
}
