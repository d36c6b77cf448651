//! Observers: each plugin that watches has a queue of its own, and all of them one thread that nothing else needs. So
//! none can slow a run down, whatever it computes. They share the thread, and take turns after some milliseconds each: one
//! that computes without end makes the others slower, but holds none up.
//!
//! Everything an observer asked for reaches it, in order, but for pieces of what is still growing: when it is behind,
//! deltas of one block that follow each other come as one, and of several updates of a running tool the last. So what
//! one block or one call adds to a queue is bounded in number. Everything else is kept, however many events wait: a lag
//! is reported, and what is left when the session ends is given up and reported.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use seam_loop::{AgentEvent, CancellationToken};
use tokio::runtime;
use tokio::sync::Notify;

use crate::event::{Event, SessionEvent, Sink};
use crate::failure::Failure;
use crate::moment::Moment;
use crate::reach;
use crate::seams::Observer;

/// How many waiting events are worth a report.
const BEHIND: usize = 1000;

/// How many of the last waiting events an update of a tool may take the place of.
const LOOK_BACK: usize = 64;

/// How long their thread may take to end.
const THREAD: Duration = Duration::from_secs(1);

/// The observers of a session.
pub(crate) struct Observers {
    lanes: Vec<Lane>,
    /// The seams at which any of them watches.
    watched: Vec<&'static str>,
    /// Ends their thread.
    over: CancellationToken,
    /// Fires when it has ended, and with it all that they had under way: calls of tools too.
    gone: CancellationToken,
}

/// Where an event stands: what there was then, and what ends what is done about it.
type At = (Moment, CancellationToken);

/// One plugin and its queue.
#[derive(Clone)]
struct Lane {
    plugin: Arc<str>,
    observer: Arc<dyn Observer>,
    waiting: Arc<Waiting>,
}

#[derive(Default)]
struct Waiting {
    queue: Mutex<Queue>,
    more: Notify,
    done: Notify,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<(Arc<Event>, At)>,
    /// An event is with the observer now.
    busy: bool,
    /// It was reported that it is behind.
    reported: bool,
}

impl Observers {
    /// Starts their thread. It runs until the observers are closed or dropped.
    pub(crate) fn start(observers: &[(Arc<str>, Arc<dyn Observer>)], sink: &Arc<dyn Sink>) -> Self {
        let mut lanes: Vec<_> = observers.iter().map(|(plugin, observer)| Lane::new(plugin, observer)).collect();
        let (over, gone) = (CancellationToken::new(), CancellationToken::new());
        let tasks = lanes.iter().map(|lane| watch(lane.clone(), Arc::clone(sink))).collect();
        if apart(tasks, over.clone(), gone.clone()).is_err() {
            lanes.drain(..).for_each(|lane| sink.emit(lane.failed("session-start", &Failure::CouldNotStart)));
        }
        let mut watched: Vec<_> = lanes.iter().flat_map(|lane| lane.observer.watches()).copied().collect();
        watched.sort_unstable();
        watched.dedup();
        Self { lanes, watched, over, gone }
    }

    /// Offers an event to those who want it. Nothing is copied when nobody does.
    pub(crate) fn offer(&self, event: &Event, at: impl Fn() -> At, sink: &dyn Sink) {
        let Some(seam) = event.seam().filter(|seam| self.watched.contains(seam)) else { return };
        let mut shared = None;
        for lane in self.lanes.iter().filter(|lane| lane.observer.watches().contains(&seam)) {
            let share = || shared.get_or_insert_with(|| (Arc::new(event.clone()), at())).clone();
            if let Some(waiting) = lane.waiting.put(event, share) {
                sink.emit(lane.behind(waiting, false));
            }
        }
    }

    /// Waits until all have seen everything, but no longer than `grace`. What is left then is given up and reported.
    pub(crate) async fn close(&self, grace: Duration, sink: &dyn Sink) {
        let all = async {
            for lane in &self.lanes {
                lane.waiting.drained().await;
            }
        };
        let _in_time = tokio::time::timeout(grace, all).await;
        self.over.cancel();
        let _in_time = tokio::time::timeout(THREAD, self.gone.cancelled()).await;
        for lane in &self.lanes {
            let waiting = lane.waiting.lock().left();
            if waiting > 0 {
                sink.emit(lane.behind(waiting, true));
            }
        }
    }
}

impl Drop for Observers {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// Runs tasks on a thread of their own until it is over. A guest that computes keeps its thread for milliseconds at a
/// time: on the runtime's own threads, a few of them would keep it from noticing that a response has arrived. What they
/// may reach works there too: they call tools.
fn apart(
    tasks: Vec<impl Future<Output = ()> + Send + 'static>,
    over: CancellationToken,
    gone: CancellationToken,
) -> io::Result<()> {
    let gone = gone.drop_guard();
    if tasks.is_empty() {
        return Ok(());
    }
    // News are looked for after each turn of a task, so that one that never rests holds no other up for long.
    let runtime =
        runtime::Builder::new_current_thread().enable_all().event_interval(1).global_queue_interval(1).build()?;
    let watch = move || {
        tasks.into_iter().for_each(|task| drop(runtime.spawn(task)));
        runtime.block_on(over.cancelled());
        drop(runtime);
        drop(gone);
    };
    thread::Builder::new().name("seam-observers".to_owned()).spawn(watch).map(drop)
}

async fn watch(lane: Lane, sink: Arc<dyn Sink>) {
    loop {
        let (event, (at, abort)) = lane.waiting.next().await;
        if let Err(failure) = reach::until(&abort, lane.observer.observe(&event, &at)).await {
            sink.emit(lane.failed(event.seam().unwrap_or_default(), &failure));
        }
    }
}

impl Lane {
    fn new(plugin: &Arc<str>, observer: &Arc<dyn Observer>) -> Self {
        Self { plugin: Arc::clone(plugin), observer: Arc::clone(observer), waiting: Arc::default() }
    }

    fn behind(&self, waiting: usize, given_up: bool) -> Event {
        SessionEvent::ObserverBehind { plugin: Arc::clone(&self.plugin), waiting, given_up }.into()
    }

    fn failed(&self, seam: &'static str, failure: &Failure) -> Event {
        let (plugin, failure) = (Arc::clone(&self.plugin), failure.to_string());
        SessionEvent::ObserverFailed { plugin, seam, failure }.into()
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in an event, or lets a waiting one say what it says too. Gives how many wait, the first time that is too
    /// many.
    fn put(&self, new: &Event, share: impl FnOnce() -> (Arc<Event>, At)) -> Option<usize> {
        let mut queue = self.lock();
        if queue.grow(new) {
            return None;
        }
        let shared = share();
        match queue.of_same_call(new) {
            Some(waiting) => *waiting = shared.0,
            None => queue.events.push_back(shared),
        }
        self.more.notify_one();
        let waiting = queue.events.len();
        (waiting >= BEHIND && !std::mem::replace(&mut queue.reported, true)).then_some(waiting)
    }

    async fn next(&self) -> (Arc<Event>, At) {
        loop {
            let next = self.lock().take();
            match next {
                Some(next) => return next,
                None => {
                    self.done.notify_one();
                    self.more.notified().await;
                }
            }
        }
    }

    async fn drained(&self) {
        while self.lock().left() > 0 {
            self.done.notified().await;
        }
    }
}

impl Queue {
    fn take(&mut self) -> Option<(Arc<Event>, At)> {
        let next = self.events.pop_front();
        self.busy = next.is_some();
        self.reported &= self.busy;
        next
    }

    fn left(&self) -> usize {
        self.events.len() + usize::from(self.busy)
    }

    /// Adds a delta to the one that waits last, if it goes on where that ends.
    fn grow(&mut self, new: &Event) -> bool {
        let Event::Agent(AgentEvent::MessageUpdate { kind, content_index, delta: Some(more), .. }) = new else {
            return false;
        };
        let goes_on = |last: &Event| {
            matches!(last, Event::Agent(AgentEvent::MessageUpdate { kind: same, content_index: place, .. })
                if (same, place) == (kind, content_index))
        };
        let Some((last, _)) = self.events.back_mut().filter(|(last, _)| goes_on(last)) else { return false };
        let Event::Agent(AgentEvent::MessageUpdate { delta: Some(delta), .. }) = Arc::make_mut(last) else {
            return false;
        };
        delta.push_str(more);
        true
    }

    /// The update of the same running call that waits already.
    fn of_same_call(&mut self, new: &Event) -> Option<&mut Arc<Event>> {
        let Event::Agent(AgentEvent::ToolExecutionUpdate { tool_call_id, .. }) = new else { return None };
        let of_call = |event: &Event| {
            matches!(event, Event::Agent(AgentEvent::ToolExecutionUpdate { tool_call_id: id, .. })
                if id == tool_call_id)
        };
        let mut last = self.events.iter_mut().rev().take(LOOK_BACK).map(|(event, _)| event);
        last.find(|event| of_call(event))
    }
}

#[cfg(test)]
mod tests;
