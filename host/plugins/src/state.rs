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
    /// How many bytes may come back from this call.
    pub(crate) returned: usize,
    /// The running call's view; nothing outside a call.
    pub(crate) view: View,
    /// Only for guests that import WASI.
    pub(crate) wasi: Option<Box<Wasi>>,
}

impl State {
    pub(crate) fn new(shared: Arc<Shared>, wasi: Option<Box<Wasi>>) -> Self {
        let limiter = Limiter::new(shared.limits.memory());
        let (time, returned) = (shared.limits.time(), shared.limits.returned());
        Self { shared, limiter, ticks: 0, time, returned, view: View::default(), wasi }
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

/// Bounds memories and tables, all of an instance together, and remembers that the memory limit was reached.
pub(crate) struct Limiter {
    memory: usize,
    memory_used: usize,
    elements_used: usize,
    pub(crate) memory_reached: bool,
}

impl Limiter {
    fn new(memory: usize) -> Self {
        Self { memory, memory_used: 0, elements_used: 0, memory_reached: false }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = grown(&mut self.memory_used, self.memory, current, desired, maximum);
        self.memory_reached |= fits.is_none();
        Ok(fits == Some(true))
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(grown(&mut self.elements_used, Limits::TABLE_ELEMENTS, current, desired, maximum) == Some(true))
    }
}

/// Counts what one of several grows by. `None`: beyond the limit of all. `false`: beyond its own, and not counted.
fn grown(used: &mut usize, limit: usize, current: usize, desired: usize, own: Option<usize>) -> Option<bool> {
    let all = used.saturating_add(desired.saturating_sub(current));
    if all > limit {
        return None;
    }
    let fits = own.is_none_or(|own| desired <= own);
    if fits {
        *used = all;
    }
    Some(fits)
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
