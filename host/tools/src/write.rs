//! `write`: a whole file.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::{Undone, go_on, stoppable};
use crate::define::definition;
use crate::path::{Place, Resolved, Workspace, reason};
use crate::replace::replace;

#[cfg(test)]
mod tests;

pub(crate) struct Write {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    path: String,
    content: String,
}

struct Call {
    workspace: Arc<Workspace>,
    arguments: Arguments,
    resolved: Resolved<Place>,
}

impl Write {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Write a file: create it, with the folders it needs, or replace all it holds.";
        let properties = json!({
            "path": { "type": "string", "description": "The file, relative to the workspace or absolute" },
            "content": { "type": "string", "description": "What the file will hold" },
        });
        let definition = definition("write", description, &["path", "content"], properties);
        Self { definition, workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Write {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments: Arguments = arguments.parse()?;
        let resolved = self.workspace.to_write(arguments.path.clone()).await?;
        Ok(Box::new(Call { workspace: self.workspace.clone(), arguments, resolved }))
    }
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![self.resolved.target()]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let Self { workspace, arguments, resolved } = *self;
        let place = resolved.into_handle()?;
        let lock = workspace.locks().hold(&place.path, &context.abort).await?;
        stoppable(&context.abort, move |stop| {
            let _lock = lock;
            arguments.write(&place, stop)
        })
        .await
    }
}

impl Arguments {
    fn write(&self, place: &Place, stop: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let failed = |error| ToolError::Failed(format!("`{}` cannot be written: {}.", self.path, reason(&error)));
        self.put(place, stop).map_err(|undone| undone.tell(failed))?;
        Ok(ToolOutput::text(format!("Wrote {} bytes to `{}`.", self.content.len(), self.path)))
    }

    fn put(&self, place: &Place, stop: &CancellationToken) -> Result<(), Undone> {
        go_on(stop)?;
        replace(&place.folder()?, &place.name, self.content.as_bytes(), stop)
    }
}
