//! What a tool is: a definition, a way to resolve a call into handles, and a body that uses them.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use crate::call::{Access, Location, Resolution, Target};

use crate::arguments::ValidArguments;
use crate::dispatch::{Dispatch, Settled};
use crate::message::{Content, RequestedCall, Usage};

/// Whether the calls of a batch may overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExecutionMode {
    /// They may.
    #[default]
    Parallel,
    /// One at a time. One such tool in a batch makes the whole batch sequential.
    Sequential,
}

/// What the model is told of a tool, and what the host has to know of it.
#[derive(Debug, Clone)]
pub struct ToolDefinition {
    /// The name the model calls it by.
    pub name: Arc<str>,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Whether its calls may overlap with others.
    pub mode: ExecutionMode,
    /// Whether a call whose outcome is unknown may be made again.
    pub replay: Replay,
}

/// Whether a call whose outcome was never recorded may be made again. A tool's own word: it permits, it never forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replay {
    /// It may not: the effect may have happened.
    #[default]
    Never,
    /// It may: doing it twice is like doing it once.
    Safe,
}

/// A tool. It gets arguments that match its schema and does nothing until its call was approved.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it is.
    fn definition(&self) -> &ToolDefinition;

    /// Brings the model's arguments into the schema's form before they are validated. The default changes nothing.
    ///
    /// # Errors
    /// What is wrong with them, for the model.
    fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolError> {
        Ok(raw)
    }

    /// Looks up what the call would touch and takes handles to it. Has no effect.
    ///
    /// A path that cannot be resolved is no error here: it is a target that says so, and its body fails.
    ///
    /// # Errors
    /// Why such a call can never run, for the model. No gate is asked then.
    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError>;

    /// Brings a result into the size that the model reads, once it has passed the patches. It only leaves out, and what
    /// it leaves out may be kept where the model can read it. The default leaves out nothing.
    async fn fit(&self, output: ToolOutput) -> ToolOutput {
        output
    }
}

/// A call with its handles. Its body uses them and looks nothing up by name again.
#[async_trait]
pub trait ResolvedTool: Send {
    /// What the body would touch, exactly.
    fn targets(&self) -> Vec<Target>;

    /// The body: the effect.
    ///
    /// # Errors
    /// What went wrong, for the model.
    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError>;
}

/// What a body may use while it runs.
#[derive(Clone)]
pub struct ToolContext<'a> {
    /// The id of the call.
    pub call_id: &'a str,
    /// The only way to another tool.
    pub caller: &'a dyn CallTool,
    /// Fires when the user aborts. The body then stops what it started and returns [`ToolError::Aborted`].
    pub abort: CancellationToken,
    /// Where live updates go.
    pub updates: Updates,
}

/// Makes calls for the body of another call. They take the same way as every call: validated, gated, patched.
#[async_trait]
pub trait CallTool: Send + Sync {
    /// Makes the call and gives its result. A failure of the other tool is a result too.
    async fn call(&self, call: RequestedCall) -> Settled;

    /// The way of all calls, for a run within this one (a sub-agent): its calls are calls of this body.
    fn dispatch(&self) -> Option<&dyn Dispatch> {
        None
    }
}

/// Makes no calls: for a body that is run outside a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCalls;

#[async_trait]
impl CallTool for NoCalls {
    async fn call(&self, call: RequestedCall) -> Settled {
        let reason = format!("Tool {} cannot be called from here", call.name);
        Settled { output: ToolOutput::error(reason), decisions: Vec::new() }
    }
}

/// Takes live updates of a running call.
#[derive(Debug, Clone)]
pub struct Updates(Option<mpsc::Sender<Box<ToolOutput>>>);

impl Updates {
    /// Updates that go into this channel.
    pub fn new(sender: mpsc::Sender<Box<ToolOutput>>) -> Self {
        Self(Some(sender))
    }

    /// Updates that nobody sees.
    pub fn none() -> Self {
        Self(None)
    }

    /// Sends what there is so far, and waits while the reader is behind. An update after the body's end is dropped.
    pub async fn send(&self, partial: ToolOutput) {
        if let Some(sender) = &self.0 {
            let _ended = sender.send(Box::new(partial)).await;
        }
    }
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    /// What it says.
    pub content: Vec<Content>,
    /// What it adds for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What it gives for a model that reads JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Map<String, Value>>,
    /// Whether the call failed all the same.
    pub is_error: bool,
    /// What it cost, when it cost tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the run should end after this batch. It does when every call of the batch says so.
    pub terminate: bool,
}

impl ToolOutput {
    /// An output of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    /// A failed output of one text.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, details: Some(Value::Object(Map::new())), ..Self::text(text) }
    }
}

/// One change to an output.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// This content instead of all of it. Structured content goes with it: it would still say what the old text said.
    Content(Vec<Content>),
    /// These details, or none. Nothing is merged.
    Details(Option<Value>),
    /// This structured content, or none. Nothing is merged.
    StructuredContent(Option<Map<String, Value>>),
    /// Whether the call counts as failed.
    IsError(bool),
    /// This usage.
    Usage(Usage),
    /// Whether the run should end after this batch.
    Terminate(bool),
}

impl Change {
    /// The field it changes, by its name in the contract.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Content(_) => "content",
            Self::Details(_) => "details",
            Self::StructuredContent(_) => "structured-content",
            Self::IsError(_) => "is-error",
            Self::Usage(_) => "usage",
            Self::Terminate(_) => "terminate",
        }
    }

    /// Changes the output.
    pub fn apply(self, output: &mut ToolOutput) {
        match self {
            Self::Content(content) => {
                output.content = content;
                output.structured_content = None;
            }
            Self::Details(details) => output.details = details,
            Self::StructuredContent(structured) => output.structured_content = structured,
            Self::IsError(is_error) => output.is_error = is_error,
            Self::Usage(usage) => output.usage = Some(usage),
            Self::Terminate(terminate) => output.terminate = terminate,
        }
    }
}

/// Why a tool gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It failed; the text is for the model.
    #[error("{0}")]
    Failed(String),
    /// The user aborted it.
    #[error("Operation aborted")]
    Aborted,
}
