//! `rewrite-tool-call`: new arguments before any gate. The dispatcher combines them: each is validated on its way.

use async_trait::async_trait;
use seam_loop::ToolCall;

use crate::failure::Failure;
use crate::moment::Moment;

/// `rewrite-tool-call`: may change the arguments before any gate sees them.
#[async_trait]
pub trait RewriteToolCall: Send + Sync {
    /// New arguments as JSON text of an object, or none.
    ///
    /// # Errors
    /// When there is no decision.
    async fn rewrite(&self, call: &ToolCall, at: &Moment) -> Result<Option<String>, Failure>;
}
