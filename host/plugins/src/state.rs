//! What a store holds for one instance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use seam_harness::Moment;
use seam_loop::CancellationToken;
use seam_loop::tool::Updates;
use wasmtime::ResourceLimiter;

use crate::engine::Ticks;
use crate::limits::Limits;
use crate::wasi::Wasi;

/// What all instances of a plugin share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: Arc<str>,
    /// Its settings as JSON text.
    pub(crate) config: String,
    pub(crate) limits: Limits,
    pub(crate) notes: NoteBudget,
    pub(crate) clock: Arc<Ticks>,
}

/// The guest used an import where it may not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Misuse(pub(crate) &'static str);

/// What one instance has.
pub(crate) struct State {
    pub(crate) shared: Arc<Shared>,
    pub(crate) limiter: Limiter,
    /// How many ticks the guest has run in this call.
    pub(crate) ticks: u64,
    /// How long it may run in this call.
    pub(crate) time: Duration,
    /// The running call's view; nothing outside a call.
    pub(crate) view: View,
    /// Only for guests that import WASI.
    pub(crate) wasi: Option<Box<Wasi>>,
}

impl State {
    pub(crate) fn new(shared: Arc<Shared>, wasi: Option<Box<Wasi>>) -> Self {
        let limiter = Limiter { memory: shared.limits.memory(), memory_reached: false };
        let time = shared.limits.time();
        Self { shared, limiter, ticks: 0, time, view: View::default(), wasi }
    }
}

/// What a guest may read and write through its imports during one call. Only what it imports is put in.
#[derive(Default)]
pub(crate) struct View {
    /// The messages.
    pub(crate) moment: Option<Moment>,
    /// The whole text of the result under review.
    pub(crate) full_result: Option<String>,
    /// Where live updates of its tool go, and whether the call is over.
    pub(crate) updates: Option<(Updates, CancellationToken)>,
}

/// Bounds memory and tables, and remembers that the memory limit was reached.
pub(crate) struct Limiter {
    memory: usize,
    pub(crate) memory_reached: bool,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = desired <= self.memory;
        self.memory_reached |= !fits;
        Ok(fits)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= Limits::TABLE_ELEMENTS)
    }
}

/// How many notes a plugin may still write in this minute. The minute is counted in ticks.
#[derive(Debug, Default)]
pub(crate) struct NoteBudget {
    minute: AtomicU64,
    written: AtomicU32,
}

impl NoteBudget {
    /// Takes one note. `Ok`: it may be written; `Err(true)`: it is the first one too many.
    pub(crate) fn take(&self, most: u32, now: u64) -> Result<(), bool> {
        let minute = now / Ticks::PER_MINUTE + 1;
        if self.minute.swap(minute, Ordering::Relaxed) != minute {
            self.written.store(0, Ordering::Relaxed);
        }
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        if written < most { Ok(()) } else { Err(written == most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_counted_by_the_minute() {
        let budget = NoteBudget::default();
        let taken: Vec<_> = (0..4).map(|_| budget.take(2, 0)).collect();
        assert_eq!(taken, [Ok(()), Ok(()), Err(true), Err(false)]);
        assert_eq!(budget.take(2, Ticks::PER_MINUTE), Ok(()));
    }
}
