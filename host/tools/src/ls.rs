//! `ls`: what a folder holds.

use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::FileType;
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::blocking::blocking;
use crate::define::{or_empty, reader};
use crate::number;
use crate::output::Lines;
use crate::path::{Folder, Opened, Resolved, Workspace, reason};
use crate::walk::{Passed, entries};

#[cfg(test)]
mod tests;

pub(crate) struct Ls {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default = "here")]
    path: String,
    #[serde(default = "most", deserialize_with = "number::whole")]
    limit: usize,
}

struct Call {
    arguments: Arguments,
    resolved: Resolved<Opened>,
}

fn here() -> String {
    ".".to_owned()
}

fn most() -> usize {
    500
}

impl Ls {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "List a folder by name, hidden entries included. Folders end in `/`, links in `@`.";
        let properties = json!({
            "path": { "type": "string", "description": "The folder (default: the workspace)" },
            "limit": { "type": "integer", "minimum": 1, "maximum": number::MAX, "description": "Most entries (default 500)" },
        });
        Self { definition: reader("ls", description, &[], properties), workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Ls {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolError> {
        Ok(or_empty(raw))
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments: Arguments = arguments.parse()?;
        let resolved = self.workspace.to_read(arguments.path.clone()).await?;
        Ok(Box::new(Call { arguments, resolved }))
    }
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![self.resolved.target()]
    }

    async fn run(self: Box<Self>, _context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let Self { arguments, resolved } = *self;
        match resolved.into_handle()? {
            Opened::Folder(folder) => blocking(move || arguments.list(&folder)).await,
            Opened::File(_) => Err(ToolError::Failed(format!("`{}` is a file, not a folder.", arguments.path))),
        }
    }
}

impl Arguments {
    fn list(&self, folder: &Folder) -> Result<ToolOutput, ToolError> {
        let failed = |error| ToolError::Failed(format!("`{}` cannot be listed: {}.", self.path, reason(&error)));
        let (entries, bad) = entries(&folder.dir).map_err(failed)?;
        let mut lines = Lines::default();
        for (name, kind) in entries.iter().take(self.limit) {
            if !lines.push(&format!("{}{}", name.display(), mark(*kind))) {
                break;
            }
        }
        if entries.len() > self.limit {
            let (limit, all) = (self.limit, entries.len());
            lines.note(format!("Showing {limit} of {all} entries. Use limit={all} for all of them."));
        }
        Passed { unreadable: bad, ..Passed::default() }.notes().for_each(|note| lines.note(note));
        Ok(lines.finish("(empty folder)"))
    }
}

fn mark(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_dir() => "/",
        _ if kind.is_symlink() => "@",
        _ => "",
    }
}
