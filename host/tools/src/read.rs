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

use crate::blocking::blocking;
use crate::define::reader;
use crate::limits::{MAX_BYTES, MAX_LINES};
use crate::path::{Opened, Resolved, Workspace, reason};

mod image;
mod page;
#[cfg(test)]
mod tests;

use page::{Page, PageError, Range};

pub(crate) struct Read {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

struct Call {
    arguments: Arguments,
    resolved: Resolved<Opened>,
}

impl Read {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Read a UTF-8 text file, or an image (png, jpeg, gif, webp). Text is cut at 2,000 lines or \
                           50 KiB, whichever comes first; use offset and limit to read on.";
        let properties = json!({
            "path": { "type": "string", "description": "The file, relative to the workspace or absolute" },
            "offset": { "type": "integer", "minimum": 1, "description": "The first line to read, from 1" },
            "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read" },
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
        blocking(move || arguments.read(file, &context.abort)).await
    }
}

impl Arguments {
    fn read(&self, mut file: File, abort: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let failed = |error| ToolError::Failed(format!("`{}` cannot be read: {}.", self.path, reason(&error)));
        let mut start = Vec::new();
        file.by_ref().take(image::SNIFF).read_to_end(&mut start).map_err(failed)?;
        file.rewind().map_err(failed)?;
        match image::media_type(&start) {
            Some(media_type) => self.image(file, media_type),
            None => self.text(file, abort),
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

    fn text(&self, file: File, abort: &CancellationToken) -> Result<ToolOutput, ToolError> {
        let range =
            Range { first: self.offset.unwrap_or(1), count: self.limit.unwrap_or(u64::MAX).min(MAX_LINES as u64) };
        let page = page::read(file, &range, MAX_BYTES, &|| abort.is_cancelled()).map_err(|error| match error {
            PageError::Stopped => ToolError::Aborted,
            PageError::Io(error) => ToolError::Failed(format!("`{}` cannot be read: {}.", self.path, reason(&error))),
        })?;
        self.show(page, &range)
    }

    fn show(&self, page: Page, range: &Range) -> Result<ToolOutput, ToolError> {
        let (path, total, first) = (&self.path, page.total, range.first);
        if total == 0 && first == 1 {
            return Ok(ToolOutput::text(format!("`{path}` is empty.")));
        }
        if first > total {
            return Err(ToolError::Failed(format!(
                "Offset {first} is beyond the end of `{path}`, which has {total} lines."
            )));
        }
        let Ok(mut text) = String::from_utf8(page.bytes) else {
            let text = format!(
                "`{path}` is not UTF-8 text, so `read` cannot show it. Look at it with `bash`, such as `file` or `xxd`."
            );
            return Err(ToolError::Failed(text));
        };
        let last = page.last;
        if page.is_cut {
            text.push_str(&format!(
                "\n\n[Line {first} is longer than {} KiB; only its start is shown.",
                MAX_BYTES / 1024
            ));
            text.push_str(&if last < total {
                format!(" Use offset={} to continue.]", last + 1)
            } else {
                "]".to_owned()
            });
        } else if last < total {
            let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
            text.push_str(&format!(
                "{gap}[Showing lines {first}-{last} of {total}. Use offset={} to continue.]",
                last + 1
            ));
        }
        Ok(ToolOutput::text(text))
    }
}
