//! The nine hooks: where code that embeds the loop may take part in a run.
//!
//! One trait, methods that do nothing by default. Hooks get values or read-only views: nothing they hold can change a
//! stored message. What they want changed they return. A hook that fails ends the run, but for the two around a tool
//! call: there a failure is that call's error result, and before the effect it refuses.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::call::ToolCall;
use crate::message::{AssistantMessage, Message};
use crate::provider::{Model, ProviderHooks, ThinkingLevel};
use crate::tool::{Change, ToolOutput};

/// A hook failed. The text goes into the run's error, or into the call's result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

/// The messages at a point of a run.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// What the model is shown: the transcript, or what a hook put in its place.
    pub context: &'a [Arc<Message>],
    /// What is stored.
    pub transcript: &'a [Arc<Message>],
}

impl View<'_> {
    /// Whether the model is shown exactly what is stored. Looks at no message.
    pub fn is_whole(&self) -> bool {
        std::ptr::eq(self.context, self.transcript)
    }
}

/// What the next request will be.
#[derive(Debug, Clone, Copy)]
pub struct RequestView<'a> {
    /// The turn of the run, from 1.
    pub turn: u32,
    /// The model.
    pub model: &'a Model,
    /// How much it should think.
    pub thinking_level: ThinkingLevel,
    /// What it is shown, and what is stored.
    pub view: View<'a>,
}

/// A turn whose results are final.
#[derive(Debug, Clone, Copy)]
pub struct TurnView<'a> {
    /// Its number in the run, from 1.
    pub turn: u32,
    /// The model of the next request, until a hook names another.
    pub model: &'a Model,
    /// How much it should think.
    pub thinking_level: ThinkingLevel,
    /// The model's message.
    pub message: &'a AssistantMessage,
    /// The results of its calls, in the model's order.
    pub tool_results: &'a [Arc<Message>],
    /// What the model would be shown next.
    pub context: &'a [Arc<Message>],
    /// What this run has added to the transcript.
    pub new_messages: &'a [Arc<Message>],
}

/// What `prepare_request` changes; nothing by default.
#[derive(Debug, Clone, Default)]
pub struct RequestChange {
    /// From this request to the end of the run.
    pub run: Choice,
    /// For this request alone. It goes before what holds for the run.
    pub request: Choice,
}

/// A choice of model and messages; what is none stays.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The model.
    pub model: Option<Model>,
    /// How much it should think.
    pub thinking_level: Option<ThinkingLevel>,
    /// The messages. Shown, not stored.
    pub messages: Option<Vec<Arc<Message>>>,
}

/// What the hooks before a turn change; nothing by default. All of it holds to the end of the run.
#[derive(Debug, Clone, Default)]
pub struct TurnChange {
    /// Another model.
    pub model: Option<Model>,
    /// Another thinking level.
    pub thinking_level: Option<ThinkingLevel>,
    /// What the transcript is from here on, when it was made shorter. Nothing is told of it, and what was shown in its
    /// place before is not shown any more.
    pub transcript: Option<Vec<Arc<Message>>>,
    /// Messages that were stored and told since the turn ended. They join the transcript and are not told again.
    pub stored: Vec<Arc<Message>>,
    /// Other messages to show. Not stored.
    pub context: Option<Vec<Arc<Message>>>,
    /// Messages to append, before queued ones.
    pub messages: Vec<Message>,
}

/// Whether a tool call runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Before {
    /// It does not.
    Block {
        /// What the model reads; a fixed text when it is empty.
        reason: String,
        /// Whether the run should end after this batch. It does when every call of the batch says so.
        terminate: bool,
    },
    /// It does, as far as this hook is concerned.
    #[default]
    Proceed,
}

/// How a run goes on after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Next {
    /// It ends. Queues stay as they are.
    End,
    /// It makes at least one more request.
    Continue,
    /// As it would have.
    #[default]
    None,
}

/// The nine hooks, in the order of a turn; and those of the provider, which are asked when it gets the request.
#[async_trait]
pub trait Hooks: ProviderHooks {
    /// Before each request; may change it, for itself or for the rest of the run.
    ///
    /// # Errors
    /// No request is made and the run fails.
    async fn prepare_request(
        &self,
        request: RequestView<'_>,
        abort: &CancellationToken,
    ) -> Result<RequestChange, HookError> {
        let _ = (request, abort);
        Ok(RequestChange::default())
    }

    /// After that: other messages for this request, or none to leave them. Shown, not stored.
    ///
    /// # Errors
    /// No request is made and the run fails.
    async fn transform_context(
        &self,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let _ = (view, abort);
        Ok(None)
    }

    /// After that: what the provider gets. None leaves custom messages out and sends the rest.
    ///
    /// # Errors
    /// No request is made and the run fails.
    async fn convert_to_llm(&self, messages: &[Arc<Message>]) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let _ = messages;
        Ok(None)
    }

    /// After that: the key for the provider, if there is one to give.
    ///
    /// # Errors
    /// No request is made and the run fails.
    async fn get_api_key(&self, provider: &str) -> Result<Option<String>, HookError> {
        let _ = provider;
        Ok(None)
    }

    /// When the dispatcher has approved a call, before its body. The arguments are final.
    ///
    /// # Errors
    /// The call does not run, and its result is the error.
    async fn before_tool_call(
        &self,
        call: &ToolCall,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Before, HookError> {
        let _ = (call, view, abort);
        Ok(Before::Proceed)
    }

    /// When a body is done and its result has passed the dispatcher: changes to it, in order.
    ///
    /// # Errors
    /// The result is the error instead.
    async fn after_tool_call(
        &self,
        call: &ToolCall,
        output: &ToolOutput,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Vec<Change>, HookError> {
        let _ = (call, output, view, abort);
        Ok(Vec::new())
    }

    /// When a turn's results are final, before its end is told. After an error or an abort it is asked too, and its
    /// answer does not count.
    ///
    /// # Errors
    /// The turn ends, and the run fails.
    async fn finish_turn(&self, turn: TurnView<'_>, abort: &CancellationToken) -> Result<Next, HookError> {
        let _ = (turn, abort);
        Ok(Next::None)
    }

    /// When another turn will start. Only asked by the default of [`Hooks::prepare_next_turn_with_context`].
    ///
    /// # Errors
    /// The run fails.
    async fn prepare_next_turn(&self, abort: &CancellationToken) -> Result<TurnChange, HookError> {
        let _ = abort;
        Ok(TurnChange::default())
    }

    /// The same, with the turn that ended.
    ///
    /// # Errors
    /// The run fails.
    async fn prepare_next_turn_with_context(
        &self,
        turn: TurnView<'_>,
        abort: &CancellationToken,
    ) -> Result<TurnChange, HookError> {
        let _ = turn;
        self.prepare_next_turn(abort).await
    }
}

/// No hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl ProviderHooks for NoHooks {}

impl Hooks for NoHooks {}
