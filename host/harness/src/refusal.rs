//! Why a call does not run, as the model reads it.

use seam_loop::{ToolError, ToolOutput};

/// The end of a call's way before its effect.
pub(crate) struct Refusal {
    text: String,
    terminate: bool,
}

impl Refusal {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), terminate: false }
    }

    /// The reason.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// One that asks to end the run after this batch.
    pub(crate) fn terminating(self, terminate: bool) -> Self {
        Self { terminate, ..self }
    }
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Refusal> for ToolOutput {
    fn from(refusal: Refusal) -> Self {
        Self { terminate: refusal.terminate, ..Self::error(refusal.text) }
    }
}
