//! The parts a turn is made of, each as small as it can be: a provider, a gate, a tool.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use async_trait::async_trait;
use futures_util::stream;
use seam_harness::seams::{ToolCallGate, Verdict};
use seam_harness::{Failure, FinalCall, Moment};
use seam_loop::call::{Access, Location, Resolution};
use seam_loop::provider::ResponseStream;
use seam_loop::{
    CancellationToken, Provider, ProviderError, Request, ResolvedTool, StreamEvent, Target, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput, ValidArguments,
};
use serde_json::Value;

use crate::case;

/// A provider that has its responses ready, and notes when it is asked.
pub(crate) struct Ready {
    pub(crate) responses: Mutex<VecDeque<Vec<StreamEvent>>>,
    pub(crate) asked: Mutex<Vec<Instant>>,
}

#[async_trait]
impl Provider for Ready {
    fn names(&self) -> Vec<&str> {
        vec!["ready"]
    }

    async fn stream(&self, _request: Request<'_>, _abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        self.asked.lock().unwrap().push(Instant::now());
        let response = self.responses.lock().unwrap().pop_front().unwrap();
        Ok(Box::pin(stream::iter(response)))
    }
}

/// A gate that looks at its call: the tool and the path.
pub(crate) struct Check {
    tool: String,
    folder: String,
}

impl Check {
    pub(crate) fn new(number: usize) -> Self {
        Self { tool: format!("forbidden{number}"), folder: format!(".git{number}/") }
    }
}

#[async_trait]
impl ToolCallGate for Check {
    async fn decide(&self, call: &FinalCall, _: &Moment) -> Result<Verdict, Failure> {
        let path = call.arguments.value().get("path").and_then(Value::as_str).unwrap_or_default();
        if *call.tool == *self.tool || path.starts_with(&self.folder) {
            return Ok(Verdict::Block { reason: "forbidden".to_owned(), terminate: false });
        }
        Ok(Verdict::Proceed)
    }
}

/// A tool that has a target and does nothing.
pub(crate) struct Edit(ToolDefinition);

impl Edit {
    pub(crate) fn new(number: usize, small: bool) -> Self {
        Self(ToolDefinition {
            name: name(number).into(),
            description: format!("Changes a file, in way {number}."),
            parameters: case::schema(small),
            mode: Default::default(),
            replay: Default::default(),
        })
    }
}

/// The name of a tool.
pub(crate) fn name(number: usize) -> String {
    format!("edit{number}")
}

#[async_trait]
impl Tool for Edit {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn resolve(&self, _arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Edited))
    }
}

struct Edited;

#[async_trait]
impl ResolvedTool for Edited {
    fn targets(&self) -> Vec<Target> {
        let path = PathBuf::from("/home/someone/project/src/main.rs");
        let resolution = Resolution::Resolved { path, location: Location::Inside, exists: true };
        vec![Target::Path { given: "src/main.rs".to_owned(), resolution, access: Access::Write }]
    }

    async fn run(self: Box<Self>, _context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(case::DONE))
    }
}
