//! The seam `tool-result`: what is told of a call whose effect has happened.

use std::borrow::Cow;

use serde::Serialize;

use crate::bindings::tool_result::exports::seam::harness::tool_result as wit;
use crate::{Content, Export, Instance, full_result};

pub use wit::{Change, Event as ToolResult, Outcome};

/// May change or withhold what is told of a tool call.
///
/// Nobody sees the result before it has passed here. A panic withholds it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` exports `tool_result` but does not implement `ToolResultPatch`",
    label = "missing: `impl ToolResultPatch for {Self}`"
)]
pub trait ToolResultPatch {
    /// Takes the result as it stands, gives what becomes of it.
    fn review(&mut self, result: &ToolResult) -> Outcome;
}

impl ToolResult {
    /// The texts of its content, in order; cut to 64 KiB in all when `truncated`.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(Content::as_text)
    }

    /// The whole text, one text after another, also what was cut.
    ///
    /// Imports `full-result`: the audit says that the plugin reads results whole.
    pub fn whole_text(&self) -> Cow<'_, str> {
        if self.truncated {
            return Cow::Owned(full_result::read_all());
        }
        let mut texts = self.texts();
        match (texts.next(), texts.next()) {
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(self.texts().collect()),
        }
    }
}

impl Outcome {
    /// Nobody sees the result; they read this reason instead.
    pub fn withhold(reason: impl Into<String>) -> Self {
        Self::Withhold(reason.into())
    }

    /// This text instead of all content, also of what was cut.
    pub fn text(text: impl Into<String>) -> Self {
        Self::content([Content::Text(text.into())])
    }

    /// This content instead of all of it, also of what was cut.
    pub fn content(content: impl IntoIterator<Item = Content>) -> Self {
        Self::Change(vec![Change::Content(content.into_iter().collect())])
    }
}

impl Change {
    /// These details instead: any value that serialises to JSON.
    ///
    /// # Panics
    ///
    /// When `details` cannot be written as JSON. The result is withheld then.
    #[track_caller]
    pub fn details<T: Serialize + ?Sized>(details: &T) -> Self {
        Self::Details(crate::json::write("details", details))
    }

    /// This structured content instead: a value that serialises to a JSON object.
    ///
    /// # Panics
    ///
    /// When `content` cannot be written as JSON. The result is withheld then.
    #[track_caller]
    pub fn structured_content<T: Serialize + ?Sized>(content: &T) -> Self {
        Self::StructuredContent(crate::json::write("structured content", content))
    }
}

impl<P: Instance + ToolResultPatch> wit::Guest for Export<P> {
    fn review(event: wit::Event) -> Outcome {
        P::with(|plugin| plugin.review(&event))
    }
}
