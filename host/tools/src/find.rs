//! `find`: files and folders by name.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::stoppable;
use crate::define::reader;
use crate::number;
use crate::output::Lines;
use crate::path::{Folder, Opened, Resolved, Workspace, reason};
use crate::walk::{Met, walk};

#[cfg(test)]
mod tests;

pub(crate) struct Find {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    pattern: String,
    #[serde(default = "here")]
    path: String,
    #[serde(default = "most", deserialize_with = "number::whole")]
    limit: usize,
}

struct Call {
    workspace: Arc<Workspace>,
    arguments: Arguments,
    glob: GlobMatcher,
    resolved: Resolved<Opened>,
}

fn here() -> String {
    ".".to_owned()
}

fn most() -> usize {
    1_000
}

impl Find {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Find files and folders by glob, such as `*.rs` or `src/**/*.rs`. A pattern without `/` is \
                           matched against names, one with `/` against paths below the folder searched. Heeds \
                           .gitignore; follows no links. Folders end in `/`.";
        let properties = json!({
            "pattern": { "type": "string", "description": "The glob" },
            "path": { "type": "string", "description": "The folder to search (default: the workspace)" },
            "limit": { "type": "integer", "minimum": 1, "maximum": number::MAX, "description": "Most results (default 1000)" },
        });
        Self { definition: reader("find", description, &["pattern"], properties), workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Find {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments: Arguments = arguments.parse()?;
        let glob = GlobBuilder::new(&arguments.pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| ToolError::Failed(format!("The pattern is no glob: {error}.")))?;
        let resolved = self.workspace.to_read(arguments.path.clone()).await?;
        Ok(Box::new(Call { workspace: self.workspace.clone(), arguments, glob: glob.compile_matcher(), resolved }))
    }
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![self.resolved.target()]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let Self { workspace, arguments, glob, resolved } = *self;
        match resolved.into_handle()? {
            Opened::Folder(folder) => {
                stoppable(&context.abort, move |stop| arguments.find(&workspace, &glob, &folder, stop)).await
            }
            Opened::File(_) => Err(ToolError::Failed(format!("`{}` is a file, not a folder.", arguments.path))),
        }
    }
}

impl Arguments {
    fn find(
        &self,
        workspace: &Workspace,
        glob: &GlobMatcher,
        folder: &Folder,
        abort: &CancellationToken,
    ) -> Result<ToolOutput, ToolError> {
        let (mut lines, mut count) = (Lines::default(), 0);
        let passed = walk(folder, |met| {
            if abort.is_cancelled() {
                return ControlFlow::Break(());
            }
            if !self.matches(glob, met, &folder.path) {
                return ControlFlow::Continue(());
            }
            count += 1;
            let line = format!("{}{}", workspace.show(met.path), if met.is_folder() { "/" } else { "" });
            if count > self.limit || !lines.push(&line) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let failed = |error| ToolError::Failed(format!("`{}` cannot be searched: {}.", self.path, reason(&error)));
        let passed = passed.map_err(failed)?;
        if abort.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        if count > self.limit {
            lines
                .note(format!("Stopped at {} results. Use a narrower pattern or a larger limit for more.", self.limit));
        }
        passed.notes().for_each(|note| lines.note(note));
        Ok(lines.finish("No files found."))
    }

    fn matches(&self, glob: &GlobMatcher, met: &Met<'_>, top: &Path) -> bool {
        if self.pattern.contains('/') {
            met.path.strip_prefix(top).is_ok_and(|below| glob.is_match(below))
        } else {
            met.path.file_name().is_some_and(|name| glob.is_match(name))
        }
    }
}
