//! `read`: a text file by lines, or a picture.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::message::Content;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::stoppable;
use crate::define::reader;
use crate::limits::{MAX_BYTES, MAX_LINES};
use crate::number;
use crate::path::{Opened, Resolved, Workspace, reason};

mod image;
mod page;
mod show;
#[cfg(test)]
mod tests;

use page::{PATIENCE, Range};

pub(crate) struct Read {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    path: String,
    #[serde(default = "first", deserialize_with = "number::whole")]
    offset: u64,
    #[serde(default = "most", deserialize_with = "number::whole")]
    limit: u64,
}

struct Call {
    arguments: Arguments,
    resolved: Resolved<Opened>,
}

fn first() -> u64 {
    1
}

fn most() -> u64 {
    MAX_LINES as u64
}

impl Read {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Read a UTF-8 text file, or an image (png, jpeg, gif, webp). Text is cut at 2,000 lines or \
                           50 KiB, whichever comes first; use offset and limit to read on.";
        let properties = json!({
            "path": { "type": "string", "description": "The file, relative to the workspace or absolute" },
            "offset": {
                "type": "integer", "minimum": 1, "maximum": number::MAX,
                "description": "The first line to read, from 1",
            },
            "limit": {
                "type": "integer", "minimum": 1, "maximum": number::MAX, "description": "How many lines to read",
            },
        });
        Self { definition: reader("read", description, &["path"], properties), workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Read {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
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

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let Self { arguments, resolved } = *self;
        let file = match resolved.into_handle()? {
            Opened::File(opened) => opened.file,
            Opened::Folder(_) => {
                return Err(ToolError::Failed(format!("`{}` is a folder. Use `ls` to list it.", arguments.path)));
            }
        };
        stoppable(&context.abort, move |stop| arguments.read(file, stop)).await
    }
}

impl Arguments {
    fn read(&self, mut file: File, stop: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let failed = |error| ToolError::Failed(format!("`{}` cannot be read: {}.", self.path, reason(&error)));
        let mut start = Vec::new();
        file.by_ref().take(image::SNIFF).read_to_end(&mut start).map_err(failed)?;
        file.rewind().map_err(failed)?;
        match image::media_type(&start) {
            Some(media_type) => self.image(file, media_type),
            None => self.text(file, stop),
        }
    }

    fn image(&self, file: File, media_type: &str) -> Result<ToolOutput, ToolError> {
        let mut data = Vec::new();
        let failed = |error| ToolError::Failed(format!("`{}` cannot be read: {}.", self.path, reason(&error)));
        file.take(image::MAX + 1).read_to_end(&mut data).map_err(failed)?;
        if data.len() as u64 > image::MAX {
            let (path, max) = (&self.path, image::MAX);
            let text =
                format!("`{path}` is an image of more than {max} bytes, which models refuse. Make it smaller first.");
            return Err(ToolError::Failed(text));
        }
        let said = Content::text(format!("Image `{}` ({media_type}, {} bytes):", self.path, data.len()));
        let picture = Content::Image { data, mime_type: media_type.to_owned() };
        Ok(ToolOutput { content: vec![said, picture], ..ToolOutput::default() })
    }

    fn text(&self, file: File, stop: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let failed = |error| ToolError::Failed(format!("`{}` cannot be read: {}.", self.path, reason(&error)));
        let range = Range { first: self.offset, count: self.limit.min(MAX_LINES as u64) };
        let page = page::read(file, &range, MAX_BYTES, &PATIENCE, stop).map_err(|undone| undone.tell(failed))?;
        show::show(&self.path, page, range.first)
    }
}
