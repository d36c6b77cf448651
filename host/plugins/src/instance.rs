//! Instances of a plugin within one session: lent for a call, bounded during it, kept after it, gone after any error.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use seam_harness::{Failure, Moment};
use serde::Serialize;
use tokio::sync::{Notify, Semaphore};
use wasmtime::Store;

use crate::journal::{Crossing, Recorder};
use crate::limits::InstancePolicy;
use crate::link::Linked;
use crate::load::LoadProblem;
use crate::seams::Guests;
use crate::state::State;

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
    /// Records every call, if the session has a journal.
    pub(crate) recorder: Option<Arc<Recorder>>,
    /// How many instances there were.
    made: AtomicU64,
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
    /// Which one it is, from 1.
    number: u64,
    /// The segment of the journal in which it began. It ends with it, so that each segment can be replayed by itself.
    segment: u64,
}

impl Instances {
    pub(crate) fn new(linked: Arc<Linked>, recorder: Option<Arc<Recorder>>) -> Self {
        let bodies = Semaphore::new(MOST_INSTANCES - 1);
        Self { linked, kept: Mutex::default(), free: Notify::new(), bodies, recorder, made: AtomicU64::new(0) }
    }

    /// An instance for one call that may return so many bytes and run so long. Its clock starts now.
    pub(crate) async fn lend(
        &self,
        at: &Moment,
        returned: usize,
        time: Duration,
        mut crossing: Option<Box<Crossing>>,
    ) -> Result<Lease<'_>, Failure> {
        let (idle, place) = loop {
            if let Some(found) = self.place() {
                break found;
            }
            self.free.notified().await;
        };
        let mut warm = match idle {
            Some(warm) => warm,
            // Boxed: this is rare, and would make the future of every call large.
            None => {
                let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
                match Box::pin(self.fresh(number)).await {
                    Ok(warm) => warm,
                    Err(error) => return Err(recorded(crossing, number, self.could_not_start(&error))),
                }
            }
        };
        if let Some(crossing) = &mut crossing {
            crossing.instance = warm.number;
        }
        warm.store.data_mut().view.crossing = crossing;
        self.linked.limit(&mut warm.store, time);
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
        let segment = self.segment();
        let mut kept = self.kept();
        let before = kept.idle.len();
        kept.idle.retain(|warm| warm.segment == segment);
        kept.alive -= before - kept.idle.len();
        let idle = kept.idle.pop();
        if idle.is_none() {
            if kept.alive >= MOST_INSTANCES {
                return None;
            }
            kept.alive += 1;
        }
        Some((idle, Place(self)))
    }

    /// The segment that the journal is at.
    fn segment(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.journal.segment())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an instance back, or drops it after an error. What is not recorded is an error too.
    pub(crate) fn settle<R: Serialize>(&self, lease: Lease<'_>, result: wasmtime::Result<R>) -> Result<R, Failure> {
        let Lease { mut warm, place } = lease;
        let view = std::mem::take(&mut warm.store.data_mut().view);
        let result = result.map_err(|error| {
            tracing::debug!(target: "seam::plugin", plugin = &*self.linked.shared.name, "failed: {error:#}");
            self.linked.failure(&error, warm.store.data())
        });
        if let Some(crossing) = view.crossing {
            crossing.end(&result)?;
        }
        if result.is_ok() && self.linked.policy == InstancePolicy::Session {
            // It stays alive and keeps its place.
            std::mem::forget(place);
            self.kept().idle.push(warm);
            self.free.notify_one();
        }
        result
    }

    /// Starts it once and drops it: what is wrong with its start or its types is known before any call.
    pub(crate) async fn probe(&self) -> Result<(), LoadProblem> {
        let (mut store, started) = self.linked.start(&self.linked.pre).await;
        let instance = started.map_err(|error| {
            LoadProblem::Start(match self.linked.failure(&error, store.data()) {
                Failure::NotOfType => format!("{error:#}"),
                failure => failure.to_string(),
            })
        })?;
        self.linked.indices.load(&mut store, &instance).map(drop)
    }

    async fn fresh(&self, number: u64) -> wasmtime::Result<Warm> {
        let segment = self.segment();
        let (mut store, started) = self.linked.start(&self.linked.pre).await;
        let guests =
            self.linked.indices.load(&mut store, &started?).map_err(|problem| wasmtime::format_err!("{problem}"))?;
        Ok(Warm { store, guests: Box::new(guests), number, segment })
    }

    fn could_not_start(&self, error: &wasmtime::Error) -> Failure {
        tracing::warn!(target: "seam::plugin", plugin = &*self.linked.shared.name, "could not start: {error:#}");
        Failure::CouldNotStart
    }
}

/// A failure before there was an instance, once it is recorded.
fn recorded(crossing: Option<Box<Crossing>>, number: u64, failure: Failure) -> Failure {
    let Some(mut crossing) = crossing else { return failure };
    crossing.instance = number;
    let result: Result<(), Failure> = Err(failure.clone());
    crossing.end(&result).err().unwrap_or(failure)
}
