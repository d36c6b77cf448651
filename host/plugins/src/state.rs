//! What a store holds for one instance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use seam_harness::reach::state::Draft;
use seam_harness::reach::{self, Led};
use seam_harness::{Moment, Reach};
use seam_loop::CancellationToken;
use seam_loop::tool::Updates;
use serde::Serialize;
use wasmtime::ResourceLimiter;

use crate::engine::Ticks;
use crate::grants::Grants;
use crate::journal::Crossing;
use crate::journal::json::json;
use crate::limits::Limits;
use crate::replay::Tape;
use crate::waits::Waits;
use crate::wasi::Wasi;
use crate::wasi::http::Requests;

/// What all instances of a plugin share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: Arc<str>,
    /// Its settings as JSON text.
    pub(crate) config: String,
    /// The digest of that text.
    pub(crate) settings: String,
    pub(crate) limits: Limits,
    pub(crate) grants: Grants,
    /// It changes nothing.
    pub(crate) shadow: bool,
    pub(crate) notes: NoteBudget,
    pub(crate) clock: Arc<Ticks>,
}

/// The guest used an import where it may not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Misuse(pub(crate) &'static str);

/// What it was to do could not be stored.
#[derive(Debug, thiserror::Error)]
#[error("it could not be stored")]
pub(crate) struct NotStored;

/// The guest used up its time.
#[derive(Debug, thiserror::Error)]
#[error("the time limit was reached")]
pub(crate) struct TimeLimitReached;

/// The guest gave back too much.
#[derive(Debug, thiserror::Error)]
#[error("too much came back")]
pub(crate) struct TooMuch;

/// Why the guest is not given what it waits for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GivenUp {
    /// It took too long.
    #[error("it was given up after {} ms", .0.as_millis())]
    Late(Duration),
    /// The user aborted what it is about.
    #[error("it was given up: the user aborted")]
    Aborted,
}

/// The guest called the host too often.
#[derive(Debug, thiserror::Error)]
#[error("it called the host too often")]
pub(crate) struct TooManyCalls;

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
    /// How often it has called the host in this call.
    pub(crate) host_calls: u32,
    /// How long it has waited in this call for what is not its own time.
    pub(crate) waits: Arc<Waits>,
    /// The running call's view; nothing outside a call.
    pub(crate) view: View,
    /// Only for guests that import WASI.
    pub(crate) wasi: Option<Box<Wasi>>,
}

impl State {
    pub(crate) fn new(shared: Arc<Shared>, wasi: Option<Box<Wasi>>) -> Self {
        let limiter = Limiter::new(shared.limits.memory());
        let (time, returned) = (shared.limits.time(), shared.limits.returned());
        let (host_calls, waits, view) = (0, Arc::default(), View::default());
        Self { shared, limiter, ticks: 0, time, returned, host_calls, waits, view, wasi }
    }

    /// A call begins: it may send.
    pub(crate) fn begin(&mut self) {
        let Self { shared, wasi, view, waits, .. } = self;
        let requests =
            wasi.as_mut().and_then(|wasi| wasi.begin(|| Requests::new(&shared.name, shared.limits.network(), waits)));
        if let Some(crossing) = &mut view.crossing {
            crossing.requests = requests;
        }
    }

    /// It is over. Gives its view, with what it has reached.
    pub(crate) fn end(&mut self) -> View {
        let reached = self.wasi.as_mut().map(|wasi| wasi.end()).unwrap_or_default();
        let mut view = std::mem::take(&mut self.view);
        if let Some(crossing) = &mut view.crossing {
            crossing.reached(&reached);
        }
        view
    }

    /// Counts time that the guest has used. It fails when that was all it had.
    pub(crate) fn used(&mut self, ticks: u64) -> wasmtime::Result<()> {
        self.ticks += ticks;
        if self.ticks < Ticks::covering(self.time) { Ok(()) } else { Err(TimeLimitReached.into()) }
    }

    /// Does the work of an import in the guest's time. The clock asks the guest once when it goes on, however long it
    /// was away: the ticks beyond that one are counted here.
    pub(crate) fn timed<R>(&mut self, work: impl FnOnce(&mut Self) -> wasmtime::Result<R>) -> wasmtime::Result<R> {
        self.counted()?;
        let began = self.shared.clock.now();
        let done = work(self)?;
        match self.shared.clock.now().saturating_sub(began) {
            0 | 1 => {}
            ticks => self.used(ticks - 1)?,
        }
        Ok(done)
    }

    /// Counts a call of the host.
    pub(crate) fn counted(&mut self) -> wasmtime::Result<()> {
        self.host_calls += 1;
        if self.host_calls <= self.shared.limits.host_calls { Ok(()) } else { Err(TooManyCalls.into()) }
    }

    /// What it may be granted of the conversation it takes part in.
    pub(crate) fn reach(&self, outside: &'static str) -> wasmtime::Result<Arc<Reach>> {
        let moment = self.view.moment.as_ref().ok_or(Misuse(outside))?;
        moment.reach().ok_or_else(|| Misuse(outside).into())
    }

    /// How many calls of plugins this call has led to.
    pub(crate) fn led(&mut self) -> Led {
        self.view.led.get_or_insert_default().clone()
    }

    /// The same for an import that is recorded as often as it is asked: what it answers changes, or it does something.
    pub(crate) fn answered_again<R: Serialize>(
        &mut self,
        import: &'static str,
        arguments: &impl Serialize,
        work: impl FnOnce(&mut Self) -> wasmtime::Result<R>,
    ) -> wasmtime::Result<R> {
        self.timed(|state| {
            let answer = work(state)?;
            state.heard(import, state.asked_again(arguments), &answer);
            Ok(answer)
        })
    }

    /// The same for an import that waits for what is not the guest's doing: the user, the network, another call. That
    /// is not its time. When it takes longer than `most`, or than all waiting of the call may take, or the user aborts, it
    /// is given up and the answer is `given_up`.
    pub(crate) async fn waited<R: Serialize>(
        &mut self,
        import: &'static str,
        arguments: &impl Serialize,
        most: Duration,
        work: impl Future<Output = R>,
        given_up: impl FnOnce(GivenUp) -> R,
    ) -> wasmtime::Result<R> {
        self.counted()?;
        let arguments = self.asked_again(arguments);
        let most = most.min(self.shared.limits.waiting().saturating_sub(self.waits.total()));
        let answer = if most.is_zero() {
            given_up(GivenUp::Late(most))
        } else {
            let _waits = self.waits.begin();
            // Boxed: such a future is large, and every call of the plugin would have room for it.
            match tokio::time::timeout(most, reach::unless_aborted(Box::pin(work))).await {
                Ok(Some(answer)) => answer,
                Ok(None) => given_up(GivenUp::Aborted),
                Err(_) => given_up(GivenUp::Late(most)),
            }
        };
        self.timed(|state| {
            state.heard(import, arguments, &answer);
            Ok(())
        })?;
        Ok(answer)
    }

    /// The same for an import that answers something, which is recorded. Writing it down is the guest's time too.
    pub(crate) fn answered<R: Serialize>(
        &mut self,
        import: &'static str,
        arguments: &impl Serialize,
        work: impl FnOnce(&mut Self) -> wasmtime::Result<R>,
    ) -> wasmtime::Result<R> {
        self.timed(|state| {
            let answer = work(state)?;
            state.heard(import, state.asked(import, arguments), &answer);
            Ok(answer)
        })
    }

    /// The arguments of a host call as they are recorded; none when it is not recorded, or is already.
    pub(crate) fn asked(&self, import: &'static str, arguments: &impl Serialize) -> Option<String> {
        let crossing = self.view.crossing.as_ref().filter(|crossing| crossing.keeps())?;
        json(arguments).ok().filter(|arguments| !crossing.has(import, arguments))
    }

    /// The same of one that is recorded as often as it is made.
    pub(crate) fn asked_again(&self, arguments: &impl Serialize) -> Option<String> {
        self.view.crossing.as_ref().filter(|crossing| crossing.keeps()).and_then(|_| json(arguments).ok())
    }

    /// Records a host call.
    pub(crate) fn heard(&mut self, import: &'static str, arguments: Option<String>, answer: &impl Serialize) {
        if let (Some(crossing), Some(arguments)) = (&mut self.view.crossing, arguments) {
            crossing.heard(import, arguments, answer);
        }
    }
}

/// What a guest may read and write through its imports during one call. Only what it imports is put in.
#[derive(Default)]
pub(crate) struct View {
    /// The messages.
    pub(crate) moment: Option<Moment>,
    /// What the plugin remembers, with what this call has written.
    pub(crate) state: Option<Box<Draft>>,
    /// The whole text of the result under review.
    pub(crate) full_result: Option<String>,
    /// Where live updates of its tool go.
    pub(crate) updates: Option<LiveUpdates>,
    /// The calls it has led to, once there are any.
    pub(crate) led: Option<Led>,
    /// What is recorded of the call.
    pub(crate) crossing: Option<Box<Crossing>>,
    /// What was recorded of it, when it is a replay.
    pub(crate) tape: Option<Box<Tape>>,
}

/// The live updates of a call.
pub(crate) struct LiveUpdates {
    pub(crate) updates: Updates,
    /// Whether the call is over.
    pub(crate) abort: CancellationToken,
    /// When the last one was sent.
    pub(crate) last: Option<Instant>,
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
    use crate::engine::PluginEngine;

    fn state(time_ms: u32) -> (State, PluginEngine) {
        let engine = PluginEngine::new(None).unwrap();
        let limits = Limits { time_ms, ..Limits::default() };
        let (notes, clock) = (NoteBudget::default(), Arc::clone(&engine.ticks));
        let (grants, shadow) = (Grants::default(), false);
        let (name, config, settings) = ("p".into(), String::new(), String::new());
        let shared = Shared { name, config, settings, limits, grants, shadow, notes, clock };
        (State::new(Arc::new(shared), None), engine)
    }

    #[test]
    fn time_in_imports_is_the_guests() {
        let work = |state: &mut State| {
            state.timed(|_| {
                std::thread::sleep(Duration::from_millis(200));
                Ok(())
            })
        };
        let (mut state, _engine) = state(20);
        assert!(work(&mut state).unwrap_err().is::<TimeLimitReached>());
        state.time = Duration::from_secs(60);
        state.ticks = 0;
        work(&mut state).unwrap();
        assert!(state.ticks >= 10, "{}", state.ticks);
        // What is short is counted by the clock when the guest goes on.
        let before = state.ticks;
        state.timed(|_| Ok(())).unwrap();
        assert_eq!(state.ticks, before);
    }

    #[test]
    fn notes_are_counted_by_the_minute() {
        let budget = NoteBudget::default();
        let taken: Vec<_> = (0..4).map(|_| budget.take(2, 0)).collect();
        assert_eq!(taken, [Ok(()), Ok(()), Err(true), Err(false)]);
        assert_eq!(budget.take(2, Ticks::PER_MINUTE), Ok(()));
    }
}
