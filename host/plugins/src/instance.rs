//! Instances of a plugin within one session: lent for a call, bounded during it, kept after it, gone after any error.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use seam_harness::{Failure, Moment, reach};
use serde::Serialize;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use wasmtime::Store;

use crate::journal::{Crossing, Recorder};
use crate::limits::InstancePolicy;
use crate::link::{Linked, Plugin};
use crate::load::LoadProblem;
use crate::reach::state;
use crate::seams::Guests;
use crate::state::State;

/// How many depths there are.
const DEPTHS: usize = reach::DEEPEST as usize + 1;

/// The instances of a plugin in one session. A busy one is never entered: the next call gets another.
///
/// At each depth of calls within calls of plugins there are so many places. They bound what the plugin can use; further
/// calls wait. A call waits only for those as deep as itself, and the deepest for nobody: so none wait for each other.
pub(crate) struct Instances {
    pub(crate) linked: Arc<Linked>,
    kept: Mutex<Kept>,
    /// Told when a place becomes free.
    free: Notify,
    /// Places for calls of its tools. They wait until their updates are judged, which this plugin may do itself: one
    /// instance is always left for that.
    bodies: [Semaphore; DEPTHS],
    /// Records every call, if the session has a journal.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// The instances that no call uses, and how many calls use one.
#[derive(Default)]
struct Kept {
    idle: Vec<Warm>,
    /// How many serve now, by depth.
    busy: [usize; DEPTHS],
    /// How many calls wait for a place.
    waiting: usize,
}

/// The place of a call, at a depth. Dropping it makes room for another.
struct Place<'a>(&'a Instances, usize);

impl Kept {
    /// Takes a place at a depth, if there is one.
    fn enter(&mut self, level: usize, places: usize) -> bool {
        let Some(busy) = self.busy.get_mut(level).filter(|busy| **busy < places) else { return false };
        *busy += 1;
        true
    }

    fn leave(&mut self, level: usize) {
        if let Some(busy) = self.busy.get_mut(level) {
            *busy -= 1;
        }
    }

    /// Keeps an instance for the next call, unless enough wait.
    fn keep(&mut self, warm: Warm, places: usize) {
        if self.idle.len() < places {
            self.idle.push(warm);
        }
    }
}

/// How many calls of plugins this one is within.
fn level() -> usize {
    reach::depth() as usize
}

impl Place<'_> {
    /// Makes room for another, and keeps an instance for it.
    fn leave_with(self, warm: Warm) {
        let Self(instances, level) = self;
        std::mem::forget(self);
        let mut kept = instances.kept();
        kept.keep(warm, instances.linked.places);
        kept.leave(level);
        instances.tell(kept);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut kept = self.0.kept();
        kept.leave(self.1);
        self.0.tell(kept);
    }
}

/// A call that waits for a place, until it is dropped.
struct Waiter<'a>(&'a Instances);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.kept().waiting -= 1;
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
    /// Which one it is, as the journal counts them.
    number: u64,
    /// The segment of the journal in which it began. It ends with it, so that each segment can be replayed by itself.
    segment: u64,
}

impl Instances {
    /// Those of a plugin, for one session.
    pub(crate) fn of(plugin: &Plugin, recorder: Option<Arc<Recorder>>) -> Arc<Self> {
        let instances = Arc::new(Self::new(Arc::clone(&plugin.linked), recorder));
        instances.linked.pool.add(Arc::downgrade(&instances));
        instances
    }

    pub(crate) fn new(linked: Arc<Linked>, recorder: Option<Arc<Recorder>>) -> Self {
        let bodies = std::array::from_fn(|_| Semaphore::new(linked.places - 1));
        Self { linked, kept: Mutex::default(), free: Notify::new(), bodies, recorder }
    }

    /// An instance for one call that may return so many bytes and run so long. Its clock starts now.
    pub(crate) async fn lend(
        &self,
        at: &Moment,
        returned: usize,
        time: Duration,
        mut crossing: Option<Box<Crossing>>,
    ) -> Result<Lease<'_>, Failure> {
        let (idle, place) = self.free_place().await;
        let mut warm = match idle {
            Some(warm) => warm,
            // Boxed: this is rare, and would make the future of every call large.
            None => {
                let number = self.recorder.as_ref().map_or(0, |recorder| recorder.next_instance());
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
        warm.store.data_mut().begin();
        self.linked.limit(&mut warm.store, time);
        if self.linked.imports.moment {
            warm.store.data_mut().view.moment = Some(at.clone());
        }
        if self.linked.imports.state {
            let draft = at.remembered(self.linked.shared.writer());
            warm.store.data_mut().view.state = Some(Box::new(draft));
        }
        let returned = returned.max(self.linked.shared.limits.returned());
        warm.store.data_mut().returned = returned;
        warm.store.set_hostcall_fuel(returned);
        Ok(Lease { warm, place })
    }

    /// The same, as soon as there is either.
    async fn free_place(&self) -> (Option<Warm>, Place<'_>) {
        match self.place() {
            Some(found) => found,
            // Boxed: this is rare, and would make the future of every call large.
            None => Box::pin(self.waited_place()).await,
        }
    }

    async fn waited_place(&self) -> (Option<Warm>, Place<'_>) {
        self.kept().waiting += 1;
        let _waiter = Waiter(self);
        loop {
            let mut freed = std::pin::pin!(self.free.notified());
            // What becomes free from now on is noticed.
            freed.as_mut().enable();
            match self.place() {
                Some(found) => return found,
                None => freed.await,
            }
        }
    }

    /// A place for a call of its tools.
    pub(crate) async fn body(&self) -> Option<SemaphorePermit<'_>> {
        self.bodies.get(level())?.acquire().await.ok()
    }

    /// An idle instance, or room for a new one, if there is either.
    fn place(&self) -> Option<(Option<Warm>, Place<'_>)> {
        let (segment, level) = (self.segment(), level());
        let mut kept = self.kept();
        kept.idle.retain(|warm| warm.segment == segment);
        if !kept.enter(level, self.linked.places) {
            return None;
        }
        Some((kept.idle.pop(), Place(self, level)))
    }

    /// Tells those who wait that a place is free.
    fn tell(&self, kept: MutexGuard<'_, Kept>) {
        let waits = kept.waiting > 0;
        drop(kept);
        if waits {
            self.free.notify_waiters();
        }
    }

    /// Drops those that no call uses.
    pub(crate) fn drop_idle(&self) {
        let idle = std::mem::take(&mut self.kept().idle);
        drop(idle);
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
        let view = warm.store.data_mut().end();
        let result = result.map_err(|error| {
            tracing::debug!(target: "seam::plugin", plugin = &*self.linked.shared.name, "failed: {error:#}");
            self.linked.failure(&error, warm.store.data())
        });
        let result = state::end(&self.linked.shared, view, result);
        if result.is_ok() && self.linked.policy == InstancePolicy::Session {
            place.leave_with(warm);
        } else {
            // Its memory is free before its place is.
            drop(warm);
            drop(place);
        }
        result
    }

    /// Starts it once and drops it: what is wrong with its start or its types is known before any call. Not where what is
    /// granted to it is not there: without that it may not start, and that says nothing.
    pub(crate) async fn probe(&self) -> Result<(), LoadProblem> {
        if !self.linked.live && self.linked.granted.is_any() {
            return Ok(());
        }
        let (mut store, started) = self.linked.start(&self.linked.pre, true).await;
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
        let (mut store, started) = self.linked.start(&self.linked.pre, true).await;
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
