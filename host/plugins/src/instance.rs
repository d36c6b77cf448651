//! Instances of a plugin within one session: lent for a call, bounded during it, kept after it, gone after any error.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use seam_harness::{Failure, Moment};
use tokio::sync::{Notify, Semaphore};
use wasmtime::{Store, Trap, UpdateDeadline};

use crate::limits::InstancePolicy;
use crate::link::Linked;
use crate::load::LoadProblem;
use crate::seams::Guests;
use crate::state::{Misuse, State, TimeLimitReached, View};
use crate::wasi::Wasi;

/// How many instances of one plugin a session has at most. They bound what the plugin can use; further calls wait.
const MOST_INSTANCES: usize = 8;

/// The instances of a plugin in one session. A busy one is never entered: the next call gets another.
pub(crate) struct Instances {
    pub(crate) linked: Arc<Linked>,
    kept: Mutex<Kept>,
    /// Told when an instance comes back or a place becomes free.
    free: Notify,
    /// Places for calls of its tools. They wait until their updates are judged, which this plugin may do itself: one
    /// instance is always left for that.
    pub(crate) bodies: Semaphore,
}

/// The instances that no call uses, and how many there are in all.
#[derive(Default)]
struct Kept {
    idle: Vec<Warm>,
    alive: usize,
}

/// The place of an instance that is alive. Dropping it makes room for another.
struct Place<'a>(&'a Instances);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.kept().alive -= 1;
        self.0.free.notify_one();
    }
}

/// An instance for the time of one call.
pub(crate) struct Lease<'a> {
    pub(crate) warm: Warm,
    place: Place<'a>,
}

/// An instance that is ready for a call.
pub(crate) struct Warm {
    pub(crate) store: Store<State>,
    /// Boxed: an instance is handed around for each call.
    pub(crate) guests: Box<Guests>,
}

impl Instances {
    pub(crate) fn new(linked: Arc<Linked>) -> Self {
        Self { linked, kept: Mutex::default(), free: Notify::new(), bodies: Semaphore::new(MOST_INSTANCES - 1) }
    }

    /// An instance for one call that may return so many bytes and run so long. Its clock starts now.
    pub(crate) async fn lend(&self, at: &Moment, returned: usize, time: Duration) -> Result<Lease<'_>, Failure> {
        let (idle, place) = loop {
            if let Some(found) = self.place() {
                break found;
            }
            self.free.notified().await;
        };
        let mut warm = match idle {
            Some(warm) => warm,
            // Boxed: this is rare, and would make the future of every call large.
            None => Box::pin(self.fresh()).await.map_err(|error| self.could_not_start(&error))?,
        };
        self.limit(&mut warm.store, time);
        if self.linked.imports.conversation {
            warm.store.data_mut().view.moment = Some(at.clone());
        }
        let returned = returned.max(self.linked.shared.limits.returned());
        warm.store.data_mut().returned = returned;
        warm.store.set_hostcall_fuel(returned);
        Ok(Lease { warm, place })
    }

    /// An idle instance, or room for a new one, if there is either.
    fn place(&self) -> Option<(Option<Warm>, Place<'_>)> {
        let mut kept = self.kept();
        let idle = kept.idle.pop();
        if idle.is_none() {
            if kept.alive >= MOST_INSTANCES {
                return None;
            }
            kept.alive += 1;
        }
        Some((idle, Place(self)))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a call. A guest that computes is stopped by the clock of its store; one that waits in WASI is stopped
    /// here.
    pub(crate) async fn bounded<R>(
        &self,
        time: Duration,
        call: Pin<&mut (impl Future<Output = wasmtime::Result<R>> + Send)>,
    ) -> wasmtime::Result<R> {
        if !self.linked.imports.wasi {
            return call.await;
        }
        Box::pin(tokio::time::timeout(time, call)).await.unwrap_or_else(|_| Err(TimeLimitReached.into()))
    }

    /// Takes an instance back, or drops it after an error.
    pub(crate) fn settle<R>(&self, lease: Lease<'_>, result: wasmtime::Result<R>) -> Result<R, Failure> {
        let Lease { mut warm, place } = lease;
        match result {
            Ok(answer) => {
                warm.store.data_mut().view = View::default();
                if self.linked.policy == InstancePolicy::Session {
                    // It stays alive and keeps its place.
                    std::mem::forget(place);
                    self.kept().idle.push(warm);
                    self.free.notify_one();
                }
                Ok(answer)
            }
            Err(error) => {
                let failure = self.failure(&error, warm.store.data());
                tracing::debug!(target: "seam::plugin", plugin = &*self.linked.shared.name, "failed: {error:#}");
                Err(failure)
            }
        }
    }

    /// Starts it once and drops it: what is wrong with its start or its types is known before any call.
    pub(crate) async fn probe(&self) -> Result<(), LoadProblem> {
        let mut store = self.store();
        let pre = &self.linked.pre;
        let started = self.bounded(self.linked.shared.limits.time(), pin!(pre.instantiate_async(&mut store))).await;
        let instance = started.map_err(|error| {
            LoadProblem::Start(match self.failure(&error, store.data()) {
                Failure::InvalidAnswer(_) => format!("{error:#}"),
                failure => failure.to_string(),
            })
        })?;
        self.linked.indices.load(&mut store, &instance).map(drop)
    }

    async fn fresh(&self) -> wasmtime::Result<Warm> {
        let mut store = self.store();
        let instance =
            self.bounded(self.linked.shared.limits.time(), pin!(self.linked.pre.instantiate_async(&mut store))).await?;
        let guests =
            self.linked.indices.load(&mut store, &instance).map_err(|problem| wasmtime::format_err!("{problem}"))?;
        Ok(Warm { store, guests: Box::new(guests) })
    }

    fn store(&self) -> Store<State> {
        let Linked { engine, shared, imports, .. } = &*self.linked;
        let state = State::new(Arc::clone(shared), imports.wasi.then(|| Box::new(Wasi::inert())));
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limiter);
        // Asked once for each tick the guest itself has run: waiting for other guests does not count against it.
        store.epoch_deadline_callback(move |mut store| {
            store.data_mut().used(1)?;
            Ok(UpdateDeadline::Yield(1))
        });
        self.limit(&mut store, shared.limits.time());
        store
    }

    fn limit(&self, store: &mut Store<State>, time: Duration) {
        let state = store.data_mut();
        state.time = time;
        state.ticks = 0;
        state.limiter.memory_reached = false;
        store.set_epoch_deadline(1);
    }

    fn could_not_start(&self, error: &wasmtime::Error) -> Failure {
        tracing::warn!(target: "seam::plugin", plugin = &*self.linked.shared.name, "could not start: {error:#}");
        Failure::CouldNotStart
    }

    /// What went wrong, in words that hold nothing the guest said.
    fn failure(&self, error: &wasmtime::Error, state: &State) -> Failure {
        let limits = &self.linked.shared.limits;
        if let Some(Misuse(what)) = error.downcast_ref() {
            Failure::Misuse(what)
        } else if error.is::<TimeLimitReached>() {
            Failure::TimeLimit(state.time)
        } else if state.limiter.memory_reached {
            Failure::MemoryLimit(limits.memory())
        } else if let Some(trap) = error.downcast_ref::<Trap>() {
            Failure::Crash(words(*trap))
        } else if error.is::<wasmtime_wasi::I32Exit>() {
            Failure::Crash("it ended itself".to_owned())
        } else if error.to_string().contains("fuel allocated for hostcalls") {
            Failure::DataLimit(state.returned)
        } else {
            Failure::InvalidAnswer("it is not a value of the declared type".to_owned())
        }
    }
}

/// A trap in words.
fn words(trap: Trap) -> String {
    match trap {
        Trap::UnreachableCodeReached => "a panic or an abort".to_owned(),
        other => other.to_string().trim_start_matches("wasm trap: ").to_owned(),
    }
}
