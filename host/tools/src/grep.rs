//! `grep`: lines of files by regular expression, with ripgrep's own libraries.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;

use crate::blocking::stoppable;
use crate::define::reader;
use crate::number;
use crate::path::{Opened, Resolved, Workspace};

mod lines;
mod search;
#[cfg(test)]
mod tests;

use search::Search;

pub(crate) struct Grep {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    pattern: String,
    #[serde(default = "here")]
    path: String,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    literal: bool,
    #[serde(default, deserialize_with = "number::whole")]
    context: usize,
    #[serde(default = "most", deserialize_with = "number::whole")]
    limit: usize,
}

struct Call {
    workspace: Arc<Workspace>,
    arguments: Arguments,
    matcher: RegexMatcher,
    resolved: Resolved<Opened>,
}

fn here() -> String {
    ".".to_owned()
}

fn most() -> usize {
    100
}

impl Grep {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Search file contents by regular expression. Gives `path:line: text` for each match. Heeds \
                           .gitignore; skips binary files; follows no links; cuts lines at 500 characters.";
        let properties = json!({
            "pattern": { "type": "string", "description": "The regular expression, or the text with literal" },
            "path": { "type": "string", "description": "The file or folder to search (default: the workspace)" },
            "glob": { "type": "string", "description": "Only files that match, such as `*.rs`; `!*.rs` for all others" },
            "ignoreCase": { "type": "boolean", "description": "Take upper and lower case as equal" },
            "literal": { "type": "boolean", "description": "The pattern is plain text" },
            "context": { "type": "integer", "minimum": 0, "maximum": 100, "description": "Lines shown around a match" },
            "limit": { "type": "integer", "minimum": 1, "maximum": number::MAX, "description": "Most matches (default 100)" },
        });
        Self { definition: reader("grep", description, &["pattern"], properties), workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Grep {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments: Arguments = arguments.parse()?;
        let matcher = arguments.matcher()?;
        let resolved = self.workspace.to_read(arguments.path.clone()).await?;
        Ok(Box::new(Call { workspace: self.workspace.clone(), arguments, matcher, resolved }))
    }
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![self.resolved.target()]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let Self { workspace, arguments, matcher, resolved } = *self;
        let opened = resolved.into_handle()?;
        stoppable(&context.abort, move |stop| {
            let files = arguments.files(opened.path())?;
            Search::new(&arguments, &workspace, &matcher, &files, stop).run(opened)
        })
        .await
    }
}

impl Arguments {
    fn matcher(&self) -> Result<RegexMatcher, ToolError> {
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(self.literal).case_insensitive(self.ignore_case).crlf(true).multi_line(true);
        builder
            .build(&self.pattern)
            .map_err(|error| ToolError::Failed(format!("The pattern cannot be searched for: {error}.")))
    }

    /// Which files are searched, by the rules of ripgrep's `--glob`.
    fn files(&self, top: &Path) -> Result<Override, ToolError> {
        let Some(glob) = &self.glob else { return Ok(Override::empty()) };
        let mut builder = OverrideBuilder::new(top);
        let built = builder.add(glob).and_then(|builder| builder.build());
        built.map_err(|error| ToolError::Failed(format!("The glob `{glob}` is not valid: {error}.")))
    }
}
