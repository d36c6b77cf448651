//! Brings a result that has passed the patches into the size that the model reads, and keeps the whole of it.

use std::sync::Arc;

use seam_loop::message::Content;
use seam_loop::tool::{ToolError, ToolOutput};

use super::cut::{cut, note};
use crate::blocking::blocking;
use crate::path::{Workspace, reason};

/// All texts of the result together get the room of one; pictures stay.
pub(super) async fn fit(workspace: &Arc<Workspace>, output: ToolOutput) -> ToolOutput {
    let texts: Vec<&str> = output.content.iter().filter_map(Content::as_text).collect();
    let whole = texts.join("\n");
    let Some(shown) = cut(&whole) else { return output };
    let rest = keep(workspace, &whole).await;
    let text = format!("{shown}{}", note(shown, &whole, &rest));
    let pictures = output.content.into_iter().filter(|content| content.as_text().is_none());
    let content = std::iter::once(Content::text(text)).chain(pictures).collect();
    ToolOutput { content, ..output }
}

/// Keeps a text, and says where it is, or how to have it.
async fn keep(workspace: &Arc<Workspace>, text: &str) -> String {
    let (workspace, text) = (Arc::clone(workspace), text.to_owned());
    let kept = blocking(move || {
        let kept = workspace.kept().map(|kept| kept.keep(&text)).transpose();
        kept.map_err(|error| ToolError::Failed(reason(&error)))
    });
    match kept.await {
        Ok(Some(file)) => format!("All of it is in {}: read or grep it there.", file.display()),
        Ok(None) => "To keep all of it, send the output to a file.".to_owned(),
        Err(error) => format!("All of it could not be kept: {error}."),
    }
}
