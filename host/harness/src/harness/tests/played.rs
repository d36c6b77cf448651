//! A model, a gate and a tool that note what is asked of them, and where the session file is.

use async_trait::async_trait;
use futures_util::StreamExt as _;
use seam_loop::message::{AssistantBlock, AssistantMessage, Usage};
use seam_loop::provider::ResponseStream;
use seam_loop::{
    Content, ProviderError, Request, ResolvedTool, StopReason, StreamEvent, Target, Tool, ToolContext, ToolDefinition,
    ToolError, ValidArguments,
};
use serde_json::json;

use super::*;

/// What happened, and where the file is. It can be taken away at a point of the run.
#[derive(Default)]
pub(super) struct World {
    pub(super) path: PathBuf,
    pub(super) notes: Mutex<Vec<String>>,
    /// The note at which the file is taken away.
    pub(super) loses_file_at: Option<&'static str>,
}

impl World {
    pub(super) fn note(&self, what: &str) {
        self.notes.lock().unwrap().push(what.to_owned());
        if self.loses_file_at == Some(what) {
            fs::remove_file(&self.path).unwrap();
        }
    }

    pub(super) fn last_entry(&self) -> String {
        fs::read_to_string(&self.path).unwrap().lines().last().unwrap().to_owned()
    }
}

/// A model that calls `note` first and is done then, a gate, a tool, and a sink.
pub(super) struct Part(pub(super) Arc<World>, pub(super) ToolDefinition);

#[async_trait]
impl Provider for Part {
    fn names(&self) -> Vec<&str> {
        vec!["played"]
    }

    async fn stream(&self, request: Request<'_>, _: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        let shown: Vec<String> = request.messages.iter().map(|message| outline(message)).collect();
        self.0.note(&format!("asks {}", shown.join(" ")));
        self.0.note("asks");
        let answered = matches!(request.messages.last().map(|last| &**last), Some(Message::ToolResult(_)));
        let call = RequestedCall {
            id: "c".to_owned(),
            name: "note".to_owned(),
            arguments: json!({}),
            arguments_error: None,
            signature: None,
        };
        let message = AssistantMessage {
            content: if answered { vec![] } else { vec![AssistantBlock::ToolCall(call)] },
            provider: "played".to_owned(),
            model: request.model.id.clone(),
            usage: Usage::default(),
            thinking_level: None,
            stop_reason: if answered { StopReason::Stop } else { StopReason::ToolUse },
            error_message: None,
            error_kind: seam_loop::ErrorKind::Other,
            timestamp: 1,
        };
        Ok(futures_util::stream::iter([StreamEvent::End(Box::new(message))]).boxed())
    }
}

#[async_trait]
impl ToolCallGate for Part {
    async fn decide(&self, call: &FinalCall, _: &Moment) -> Result<Verdict, Failure> {
        assert!(self.0.last_entry().contains(&format!(r#""id":"{}","name":"note""#, call.id)));
        self.0.note("gate");
        Ok(Verdict::Proceed)
    }
}

#[async_trait]
impl Tool for Part {
    fn definition(&self) -> &ToolDefinition {
        &self.1
    }

    async fn resolve(&self, _: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Body(Arc::clone(&self.0))))
    }
}

struct Body(Arc<World>);

#[async_trait]
impl ResolvedTool for Body {
    fn targets(&self) -> Vec<Target> {
        Vec::new()
    }

    async fn run(self: Box<Self>, _: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.0.note("body");
        Ok(ToolOutput::text("ok"))
    }
}

/// A message as `user`, `c?`, `c` and so on.
pub(super) fn outline(message: &Message) -> String {
    match message {
        Message::User(user) => user.content.first().and_then(Content::as_text).unwrap_or_default().to_owned(),
        Message::Assistant(said) => said.tool_calls().map(|call| format!("{}?", call.id)).collect(),
        Message::ToolResult(result) => format!("{}{}", result.tool_call_id, if result.is_error { "!" } else { "" }),
        Message::Custom(_) => "custom".to_owned(),
    }
}
