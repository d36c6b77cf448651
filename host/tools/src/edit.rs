//! `edit`: some passages of a file, all of them or none.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::{go_on, stoppable};
use crate::define::definition;
use crate::path::{Place, Resolved, Workspace, open_file, reason};
use crate::replace::replace;

mod apply;
mod diff;
mod hint;
mod seek;
#[cfg(test)]
mod tests;
mod text;

use apply::Fault;

/// The largest file that is edited, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;

pub(crate) struct Edit {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    path: String,
    edits: Vec<apply::Change>,
}

struct Call {
    workspace: Arc<Workspace>,
    arguments: Arguments,
    resolved: Resolved<Place>,
}

impl Edit {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Replace passages of a UTF-8 text file. Each oldText must match the file exactly and occur \
                           once in it as it is before the call; passages must not overlap. If one fails, none is made.";
        let change = json!({
            "type": "object",
            "required": ["oldText", "newText"],
            "additionalProperties": false,
            "properties": {
                "oldText": { "type": "string", "description": "The passage as it is in the file" },
                "newText": { "type": "string", "description": "What takes its place" },
            },
        });
        let properties = json!({
            "path": { "type": "string", "description": "The file, relative to the workspace or absolute" },
            "edits": { "type": "array", "minItems": 1, "items": change },
        });
        Self {
            definition: definition("edit", description, &["path", "edits"], properties),
            workspace: workspace.clone(),
        }
    }
}

#[async_trait]
impl Tool for Edit {
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
        if !place.exists {
            return Err(ToolError::Failed(format!("`{}` does not exist. Use `write` to create it.", arguments.path)));
        }
        let lock = workspace.locks().hold(&place.path, &context.abort).await?;
        stoppable(&context.abort, move |stop| {
            let _lock = lock;
            arguments.edit(&place, stop)
        })
        .await
    }
}

impl Arguments {
    /// Computes all there is to compute, the result too, and then writes: until then an abort changes nothing.
    fn edit(&self, place: &Place, stop: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let failed = |error: io::Error| self.failed(&format!("cannot be edited: {}", reason(&error)));
        go_on(stop).map_err(|undone| undone.tell(failed))?;
        let dir = place.folder().map_err(failed)?;
        let bytes = open_file(&dir, &place.name, false).and_then(read_all).map_err(failed)?;
        let old = String::from_utf8(bytes).map_err(|_| self.failed("is not UTF-8 text, so it was not changed"))?;
        let new = apply::apply(&old, &self.edits, stop).map_err(|fault| self.refused(&fault))?;
        let output = self.made(&old, &new);
        replace(&dir, &place.name, new.as_bytes(), stop).map_err(|undone| undone.tell(failed))?;
        Ok(output)
    }

    fn made(&self, old: &str, new: &str) -> ToolOutput {
        let count = self.edits.len();
        let said = format!("Made {count} {} in `{}`.", if count == 1 { "edit" } else { "edits" }, self.path);
        let details =
            json!({ "diff": diff::unified(old, new), "firstChangedLine": diff::first_changed_line(old, new) });
        ToolOutput { details: Some(details), ..ToolOutput::text(said) }
    }

    fn refused(&self, fault: &Fault) -> ToolError {
        match fault {
            Fault::Stopped => ToolError::Aborted,
            fault => self.failed(&format!("was not changed: {fault}")),
        }
    }

    fn failed(&self, what: &str) -> ToolError {
        ToolError::Failed(format!("`{}` {what}.", self.path))
    }
}

fn read_all(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("it is larger than {} MiB", MAX_FILE / 1024 / 1024)));
    }
    Ok(bytes)
}
