//! How long a guest has waited for what is not its own doing. A guest that imports WASI is bounded by the wall, and this
//! is taken off.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The waiting of one call.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<Waited>);

#[derive(Debug, Default)]
struct Waited {
    /// Which call it is.
    call: u64,
    /// That is over.
    before: Duration,
    /// For how many things it waits now, and since when for any.
    now: u32,
    since: Option<Instant>,
}

/// Waiting, until it is dropped. What is left of an earlier call counts for nothing.
pub(crate) struct Waiting {
    waits: Arc<Waits>,
    call: u64,
}

impl Waits {
    /// A call begins.
    pub(crate) fn reset(&self) {
        let mut waited = self.lock();
        *waited = Waited { call: waited.call + 1, ..Waited::default() };
    }

    /// It begins to wait.
    pub(crate) fn begin(self: &Arc<Self>) -> Waiting {
        let mut waited = self.lock();
        waited.now += 1;
        waited.since.get_or_insert_with(Instant::now);
        Waiting { waits: Arc::clone(self), call: waited.call }
    }

    /// How long it has waited in all. For several things at once it waits once.
    pub(crate) fn total(&self) -> Duration {
        let waited = self.lock();
        waited.before + waited.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waited = self.waits.lock();
        if waited.call != self.call {
            return;
        }
        waited.now -= 1;
        if waited.now == 0 {
            let now = waited.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            waited.before += now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_several_things_at_once_it_waits_once() {
        let waits = Arc::<Waits>::default();
        let began = Instant::now();
        let (one, other) = (waits.begin(), waits.begin());
        std::thread::sleep(Duration::from_millis(20));
        drop(one);
        assert!(waits.total() >= Duration::from_millis(20));
        drop(other);
        let total = waits.total();
        assert!(total <= began.elapsed());
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(waits.total(), total);
    }

    #[test]
    fn what_is_left_of_an_earlier_call_counts_for_nothing() {
        let waits = Arc::<Waits>::default();
        let left = waits.begin();
        waits.reset();
        assert_eq!(waits.total(), Duration::ZERO);
        let now = waits.begin();
        drop(left);
        std::thread::sleep(Duration::from_millis(2));
        assert!(waits.total() >= Duration::from_millis(2));
        drop(now);
    }
}
