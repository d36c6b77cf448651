//! A model and a tool, each as small as it can be.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use seam_loop::message::RequestedCall;
use seam_loop::provider::{BlockKind, ResponseStream};
use seam_loop::{
    AssistantBlock, AssistantMessage, CancellationToken, Message, Provider, ProviderError, Request, ResolvedTool,
    StopReason, StreamEvent, Target, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, Usage, ValidArguments,
};
use serde_json::json;

/// In how many pieces a text arrives.
const PIECES: usize = 100;

/// A model that has its response ready after a while: a tool call, and after its result a text.
pub(crate) struct Ready {
    wait: Duration,
    calls: AtomicU32,
}

#[async_trait]
impl Provider for Ready {
    fn names(&self) -> Vec<&str> {
        vec!["ready"]
    }

    async fn stream(&self, request: Request<'_>, _abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
        let called = matches!(request.messages.last().map(|last| &**last), Some(Message::ToolResult(_)));
        Ok(Box::pin(stream::iter(if called { text() } else { self.call() })))
    }
}

impl Ready {
    pub(crate) fn after(wait: Duration) -> Self {
        Self { wait, calls: AtomicU32::new(0) }
    }

    fn call(&self) -> Vec<StreamEvent> {
        let id = format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let (name, arguments) = ("note".to_owned(), json!({ "text": "buy milk" }));
        let block =
            AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error: None, signature: None });
        vec![end(block, StopReason::ToolUse)]
    }
}

fn text() -> Vec<StreamEvent> {
    let block = AssistantBlock::Text { text: "word ".repeat(PIECES) };
    let mut events = vec![StreamEvent::Start, StreamEvent::BlockStart { index: 0, kind: BlockKind::Text }];
    events.extend((0..PIECES).map(|_| StreamEvent::BlockDelta { index: 0, delta: "word ".to_owned() }));
    events.push(StreamEvent::BlockEnd { index: 0, block: block.clone() });
    events.push(end(block, StopReason::Stop));
    events
}

fn end(block: AssistantBlock, stop_reason: StopReason) -> StreamEvent {
    StreamEvent::End(Box::new(AssistantMessage {
        content: vec![block],
        provider: "ready".to_owned(),
        model: "m".to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason,
        error_message: None,
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 0,
    }))
}

/// A tool that does nothing.
pub(crate) struct Note(ToolDefinition);

impl Note {
    pub(crate) fn new() -> Self {
        let parameters =
            json!({ "type": "object", "required": ["text"], "properties": { "text": { "type": "string" } } });
        Self(ToolDefinition {
            name: "note".into(),
            description: String::new(),
            parameters,
            mode: Default::default(),
            replay: Default::default(),
        })
    }
}

#[async_trait]
impl Tool for Note {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn resolve(&self, _arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Noted))
    }
}

struct Noted;

#[async_trait]
impl ResolvedTool for Noted {
    fn targets(&self) -> Vec<Target> {
        vec![Target::Other("a note".to_owned())]
    }

    async fn run(self: Box<Self>, _context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("noted"))
    }
}
