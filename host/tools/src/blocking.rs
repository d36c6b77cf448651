//! Blocking work, off the executor's threads.

use seam_loop::tool::ToolError;

/// Runs file work on a thread that may block. Dropping the future does not stop the work: what it must hold until its
/// end (a lock, a handle) it has to own.
pub(crate) async fn blocking<T, F>(work: F) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, ToolError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(ToolError::Failed(format!("The tool stopped before it was done: {error}. Try again."))),
    }
}
