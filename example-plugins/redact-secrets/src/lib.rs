//! A patch of tool results that replaces secrets by `[redacted: KIND]` before anyone sees them.
//!
//! It knows secrets by their shape; what looks like ordinary text passes. See `README.md` for the kinds.

mod assignment;
mod details;
mod escapes;
mod private_key;
mod scan;
mod shapes;

#[cfg(test)]
mod tests;

use scan::redact;
use seam::{Change, Content, Outcome, ToolResult, ToolResultPatch};

/// The patch. It has no settings.
#[derive(Default)]
struct RedactSecrets;

impl ToolResultPatch for RedactSecrets {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        let mut changes = Vec::new();
        changes.extend(if result.truncated { whole(result) } else { each(result) }.map(Change::Content));
        match result.details.as_deref().map(details::redact) {
            Some(Ok(Some(details))) => changes.push(Change::Details(details)),
            Some(Err(error)) => return Outcome::withhold(format!("the details are not JSON: {error}")),
            Some(Ok(None)) | None => {}
        }
        match changes.is_empty() {
            true => Outcome::Keep,
            false => Outcome::Change(changes),
        }
    }
}

/// The content with each of its texts redacted, when one has a secret.
fn each(result: &ToolResult) -> Option<Vec<Content>> {
    let mut found = false;
    let mut redacted = |content: &Content| match content.as_text().and_then(redact) {
        Some(text) => {
            found = true;
            Content::Text(text)
        }
        None => content.clone(),
    };
    let content = result.content.iter().map(&mut redacted).collect();
    found.then_some(content)
}

/// All text of a result that was cut, redacted, as one text in front of its pictures, when it has a secret.
fn whole(result: &ToolResult) -> Option<Vec<Content>> {
    let text = redact(&result.whole_text())?;
    let pictures = result.content.iter().filter(|content| content.as_text().is_none());
    Some(std::iter::once(Content::Text(text)).chain(pictures.cloned()).collect())
}

seam::plugin!(RedactSecrets: tool_result);
