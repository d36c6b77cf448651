//! `call-tool`: calls of plugins. They go the way of every call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use seam_loop::message::RequestedCall;
use seam_loop::{CancellationToken, Content, Decision, Origin, Settled, ToolOutput, call_quietly};
use serde_json::Value;

use crate::event::{CallOutcome, SessionEvent};
use crate::reach::{Led, Reach, WITHIN, Within};
use crate::texts;

/// What became of a call that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotCalled {
    /// It was not run. Nothing happened.
    NotRun(String),
    /// It ran and failed.
    Failed(String),
}

/// A call of a plugin. When it is dropped, it is over, and is told.
struct Called<'a> {
    reach: &'a Reach,
    plugin: &'a Arc<str>,
    call: RequestedCall,
    outcome: CallOutcome,
    error: Option<String>,
    decisions: Vec<Decision>,
}

impl Reach {
    /// Makes a call for a plugin. It ends when this is dropped. `led` counts for the plugin's call that asks for it.
    ///
    /// # Errors
    /// When it was not run, or failed.
    pub async fn call_tool(
        &self,
        plugin: &Arc<str>,
        tool: &str,
        arguments: Value,
        led: &Led,
    ) -> Result<ToolOutput, NotCalled> {
        let output = self.make(plugin, tool, arguments, led).await?;
        if output.is_error { Err(NotCalled::Failed(words(&output))) } else { Ok(output) }
    }

    /// The same. That a call failed which ran is an output too.
    pub(super) async fn make(
        &self,
        plugin: &Arc<str>,
        tool: &str,
        arguments: Value,
        led: &Led,
    ) -> Result<ToolOutput, NotCalled> {
        let within = Within::enter(led);
        let within = within.map_err(|why| NotCalled::NotRun(format!("`{tool}` was not called: {why}")))?;
        let abort = CancellationToken::new();
        let mut called = Called::begin(self, plugin, tool, arguments);
        let _ends_it = abort.clone().drop_guard();
        let origin = Origin::Plugin(plugin.to_string());
        let made = call_quietly(&*self.dispatcher, &abort, origin, &called.call);
        let (ran, Settled { output, decisions }) = WITHIN.scope(within, Box::pin(made)).await;
        called.decisions = decisions;
        called.ends(ran, &output);
        if ran { Ok(output) } else { Err(NotCalled::NotRun(words(&output))) }
    }

    /// Tells the user and programs, and no observer.
    pub(crate) fn tell(&self, event: SessionEvent) {
        self.handle.tell.sink.emit(event.into());
    }
}

impl<'a> Called<'a> {
    fn begin(reach: &'a Reach, plugin: &'a Arc<str>, tool: &str, arguments: Value) -> Self {
        let number = reach.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let run = reach.dispatcher.bus().journal.as_ref().map_or(0, |journal| journal.run());
        let id = reach.provider.take(format!("plugin-{run}-{number}"));
        let call = RequestedCall { id, name: tool.to_owned(), arguments, arguments_error: None, signature: None };
        Self { reach, plugin, call, outcome: CallOutcome::GivenUp, error: None, decisions: Vec::new() }
    }

    fn ends(&mut self, ran: bool, output: &ToolOutput) {
        self.outcome = match (ran, output.is_error) {
            (true, false) => CallOutcome::Done,
            (true, true) => CallOutcome::Failed,
            (false, _) => CallOutcome::NotRun,
        };
        self.error = (self.outcome != CallOutcome::Done).then(|| texts::clean(&words(output)));
    }
}

impl Drop for Called<'_> {
    fn drop(&mut self) {
        let call = &mut self.call;
        self.reach.tell(SessionEvent::PluginCalled {
            plugin: Arc::clone(self.plugin),
            id: std::mem::take(&mut call.id),
            tool: std::mem::take(&mut call.name),
            args: std::mem::take(&mut call.arguments),
            outcome: self.outcome,
            error: self.error.take(),
            decisions: std::mem::take(&mut self.decisions),
        });
    }
}

/// What it says.
pub(super) fn words(output: &ToolOutput) -> String {
    let texts: Vec<&str> = output.content.iter().filter_map(Content::as_text).collect();
    texts.join("\n")
}
