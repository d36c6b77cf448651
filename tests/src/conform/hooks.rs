//! The hooks of a run: each records its call and does what the scenario's rule says.

mod calls;
mod request;
mod turn;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use seam_loop::hooks::Next;
use seam_loop::hooks::{Before, RequestChange, RequestView, TurnChange, TurnView, View};
use seam_loop::{CancellationToken, Change, HookError, Hooks, Message, ToolCall, ToolOutput};
use serde_json::Value;

use super::stage::Stage;

/// The hooks of one run. Which of them are installed does not change while it lasts.
pub(super) struct Recorded {
    stage: Arc<Stage>,
    installed: BTreeSet<String>,
    system: System,
}

/// Whether lists of messages show the system message. The loop keeps the prompt elsewhere and always sends it; an edit
/// that counts system messages drops it from what is recorded.
pub(super) struct System {
    /// There is a prompt or a tool.
    stored: bool,
    in_context: AtomicBool,
    in_request: AtomicBool,
}

impl System {
    fn new(stored: bool) -> Self {
        Self { stored, in_context: AtomicBool::new(stored), in_request: AtomicBool::new(stored) }
    }

    fn in_context(&self) -> bool {
        self.in_context.load(Ordering::Relaxed)
    }

    /// Whether the request shows it.
    pub(super) fn in_request(&self) -> bool {
        self.in_request.load(Ordering::Relaxed)
    }

    fn show_in_context(&self, shown: bool) {
        self.in_context.store(shown, Ordering::Relaxed);
    }

    fn show_in_request(&self, shown: bool) {
        self.in_request.store(shown, Ordering::Relaxed);
    }
}

impl Recorded {
    /// The hooks that are installed now.
    pub(super) fn new(stage: &Arc<Stage>) -> Self {
        let agent = stage.agent();
        Self { installed: agent.hooks.clone(), system: System::new(agent.has_system()), stage: Arc::clone(stage) }
    }

    /// Whether the polls of the queues are recorded.
    pub(super) fn observes_polls(&self) -> bool {
        self.installed.contains("queuePolls")
    }

    /// What the request shows of the system message.
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    /// Records a call of a hook and gives the rule that applies; null when none does or it is not installed.
    async fn ask(&self, hook: &str, entry: Value, abort: Option<&CancellationToken>) -> Result<Value, HookError> {
        if !self.installed.contains(hook) {
            return Ok(Value::Null);
        }
        let mut entry = entry;
        let aborted = abort.is_some_and(CancellationToken::is_cancelled);
        super::json::put(&mut entry, "aborted", aborted.then_some(true));
        self.stage.ask(hook, entry).await.map_err(HookError)
    }
}

impl seam_loop::ProviderHooks for Recorded {}

#[async_trait]
impl Hooks for Recorded {
    async fn prepare_request(
        &self,
        request: RequestView<'_>,
        abort: &CancellationToken,
    ) -> Result<RequestChange, HookError> {
        self.request_change(request, abort).await
    }

    async fn transform_context(
        &self,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        self.transformed(view.context, abort).await
    }

    async fn convert_to_llm(&self, messages: &[Arc<Message>]) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        self.converted(messages).await
    }

    async fn get_api_key(&self, provider: &str) -> Result<Option<String>, HookError> {
        self.api_key(provider).await
    }

    async fn before_tool_call(
        &self,
        call: &ToolCall,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Before, HookError> {
        self.before(call, view, abort).await
    }

    async fn after_tool_call(
        &self,
        call: &ToolCall,
        output: &ToolOutput,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Vec<Change>, HookError> {
        self.after(call, output, view, abort).await
    }

    async fn finish_turn(&self, turn: TurnView<'_>, abort: &CancellationToken) -> Result<Next, HookError> {
        self.finished(turn, abort).await
    }

    async fn prepare_next_turn(&self, abort: &CancellationToken) -> Result<TurnChange, HookError> {
        self.next_turn(abort).await
    }

    async fn prepare_next_turn_with_context(
        &self,
        turn: TurnView<'_>,
        abort: &CancellationToken,
    ) -> Result<TurnChange, HookError> {
        match self.installed.contains("prepareNextTurnWithContext") {
            true => self.next_turn_with_context(turn, abort).await,
            false => self.prepare_next_turn(abort).await,
        }
    }
}
