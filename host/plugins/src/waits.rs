//! How long a guest has waited for what is not its own doing. A guest that imports WASI is bounded by the wall, and this
//! is taken off.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The waiting of one call.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<Waited>);

#[derive(Debug, Default)]
struct Waited {
    /// That is over.
    before: Duration,
    /// Since when it waits now.
    since: Option<Instant>,
}

/// Waiting, until it is dropped.
pub(crate) struct Waiting<'a>(&'a Waits);

impl Waits {
    /// A call begins.
    pub(crate) fn reset(&self) {
        *self.lock() = Waited::default();
    }

    /// It begins to wait.
    pub(crate) fn begin(&self) -> Waiting<'_> {
        self.lock().since = Some(Instant::now());
        Waiting(self)
    }

    /// How long it has waited in all.
    pub(crate) fn total(&self) -> Duration {
        let waited = self.lock();
        waited.before + waited.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.lock();
        let now = waited.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        waited.before += now;
    }
}
