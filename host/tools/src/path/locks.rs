//! One lock for each file that is being changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use seam_loop::tool::ToolError;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio_util::sync::CancellationToken;

/// Locks by canonical path, made when they are needed and gone when nobody holds them.
#[derive(Debug, Default)]
pub(crate) struct Locks(Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>);

impl Locks {
    /// Waits until nobody else changes this file.
    ///
    /// # Errors
    /// [`ToolError::Aborted`].
    pub(crate) async fn hold(&self, path: &Path, abort: &CancellationToken) -> Result<OwnedMutexGuard<()>, ToolError> {
        abort.run_until_cancelled(self.of(path).lock_owned()).await.ok_or(ToolError::Aborted)
    }

    fn of(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(path).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(path.to_owned(), Arc::downgrade(&lock));
        lock
    }
}
