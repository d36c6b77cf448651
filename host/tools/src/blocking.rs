//! Blocking work, off the executor's threads.

use std::io;

use seam_loop::tool::ToolError;
use tokio_util::sync::CancellationToken;

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

/// As [`blocking`], with a token that fires on an abort, and also when the future is dropped: the dispatcher drops a
/// body that does not end soon after an abort, and from then on nothing may be written. The work has to look at it.
pub(crate) async fn stoppable<T, F>(abort: &CancellationToken, work: F) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: FnOnce(&CancellationToken) -> Result<T, ToolError> + Send + 'static,
{
    let stop = abort.child_token();
    let _fires_when_dropped = stop.clone().drop_guard();
    blocking(move || work(&stop)).await
}

/// Why blocking work was not done.
#[derive(Debug)]
pub(crate) enum Undone {
    /// It was told to stop.
    Stopped,
    /// What the system says.
    Io(io::Error),
}

impl Undone {
    /// The error for the model; `failed` says what the system's error means here.
    pub(crate) fn tell(self, failed: impl FnOnce(io::Error) -> ToolError) -> ToolError {
        match self {
            Self::Stopped => ToolError::Aborted,
            Self::Io(error) => failed(error),
        }
    }
}

impl From<io::Error> for Undone {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Goes on unless the work is to stop.
///
/// # Errors
/// [`Undone::Stopped`].
pub(crate) fn go_on(stop: &CancellationToken) -> Result<(), Undone> {
    if stop.is_cancelled() { Err(Undone::Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn work_is_told_when_its_future_is_dropped() {
        let (dropped, was_dropped) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let abort = CancellationToken::new();
        let work = stoppable(&abort, move |stop| {
            was_dropped.recv().unwrap();
            tell.send(stop.is_cancelled()).unwrap();
            Ok(())
        });
        assert!(tokio::time::timeout(Duration::from_millis(10), work).await.is_err());
        dropped.send(()).unwrap();
        assert!(told.recv().unwrap());
        assert!(!abort.is_cancelled(), "the token of the call is another");
    }
}
