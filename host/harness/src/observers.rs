//! Observers: each plugin that watches has a queue and a task of its own, so none can slow a run or another down.
//!
//! Everything an observer asked for reaches it, in order, but for pieces of what is still growing: when it is behind,
//! deltas of one block that follow each other come as one, and of several updates of a running tool the last.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use seam_loop::AgentEvent;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::event::{Event, SessionEvent, Sink};
use crate::moment::Moment;
use crate::seams::Observer;

/// How many waiting events are worth a report.
const BEHIND: usize = 1000;

/// How many of the last waiting events an update of a tool may take the place of.
const LOOK_BACK: usize = 64;

/// The observers of a session.
#[derive(Default)]
pub(crate) struct Observers(Vec<Lane>);

/// One plugin's queue and task.
struct Lane {
    plugin: Arc<str>,
    observer: Arc<dyn Observer>,
    waiting: Arc<Waiting>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Waiting {
    queue: Mutex<Queue>,
    more: Notify,
    done: Notify,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<(Arc<Event>, Moment)>,
    /// An event is with the observer now.
    busy: bool,
    /// It was reported that it is behind.
    reported: bool,
}

impl Observers {
    /// Starts a task for each. It runs until the observers are closed or dropped.
    pub(crate) fn start(observers: &[(Arc<str>, Arc<dyn Observer>)], sink: &Arc<dyn Sink>) -> Self {
        Self(observers.iter().map(|(plugin, observer)| Lane::start(plugin, observer, sink)).collect())
    }

    /// Offers an event to those who want it.
    pub(crate) fn offer(&self, event: &Event, at: impl Fn() -> Moment, sink: &dyn Sink) {
        let Some(seam) = event.seam() else { return };
        let mut shared = None;
        for lane in self.0.iter().filter(|lane| lane.observer.observes(seam)) {
            let event = shared.get_or_insert_with(|| (Arc::new(event.clone()), at()));
            if let Some(waiting) = lane.waiting.put(&event.0, &event.1) {
                sink.emit(behind(&lane.plugin, waiting, false));
            }
        }
    }

    /// Waits until all have seen everything, but no longer than `grace`. What is left then is given up and reported.
    pub(crate) async fn close(&self, grace: Duration, sink: &dyn Sink) {
        let all = async {
            for lane in &self.0 {
                lane.waiting.drained().await;
            }
        };
        let _in_time = tokio::time::timeout(grace, all).await;
        for lane in &self.0 {
            lane.task.abort();
            let waiting = lane.waiting.lock().left();
            if waiting > 0 {
                sink.emit(behind(&lane.plugin, waiting, true));
            }
        }
    }
}

impl Drop for Observers {
    fn drop(&mut self) {
        self.0.iter().for_each(|lane| lane.task.abort());
    }
}

fn behind(plugin: &Arc<str>, waiting: usize, given_up: bool) -> Event {
    SessionEvent::ObserverBehind { plugin: Arc::clone(plugin), waiting, given_up }.into()
}

impl Lane {
    fn start(plugin: &Arc<str>, observer: &Arc<dyn Observer>, sink: &Arc<dyn Sink>) -> Self {
        let waiting = Arc::<Waiting>::default();
        let task = watch(Arc::clone(plugin), Arc::clone(observer), Arc::clone(&waiting), Arc::clone(sink));
        Self { plugin: Arc::clone(plugin), observer: Arc::clone(observer), waiting, task: tokio::spawn(task) }
    }
}

async fn watch(plugin: Arc<str>, observer: Arc<dyn Observer>, waiting: Arc<Waiting>, sink: Arc<dyn Sink>) {
    loop {
        let (event, at) = waiting.next().await;
        let seam = event.seam().unwrap_or_default();
        if let Err(failure) = observer.observe(&event, &at).await {
            let failure = failure.to_string();
            sink.emit(SessionEvent::ObserverFailed { plugin: Arc::clone(&plugin), seam, failure }.into());
        }
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in an event. Gives how many wait, the first time that is too many.
    fn put(&self, event: &Arc<Event>, at: &Moment) -> Option<usize> {
        let mut queue = self.lock();
        if !queue.merge(event) {
            queue.events.push_back((Arc::clone(event), at.clone()));
        }
        self.more.notify_one();
        let waiting = queue.events.len();
        (waiting >= BEHIND && !std::mem::replace(&mut queue.reported, true)).then_some(waiting)
    }

    async fn next(&self) -> (Arc<Event>, Moment) {
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
    fn take(&mut self) -> Option<(Arc<Event>, Moment)> {
        let next = self.events.pop_front();
        self.busy = next.is_some();
        self.reported &= self.busy;
        next
    }

    fn left(&self) -> usize {
        self.events.len() + usize::from(self.busy)
    }

    /// Lets a waiting event say what the new one says too, if it can.
    fn merge(&mut self, new: &Arc<Event>) -> bool {
        let Event::Agent(new_event) = &**new else { return false };
        match new_event {
            AgentEvent::MessageUpdate { kind, content_index, delta: Some(more), .. } => {
                let Some((last, _)) = self.events.back_mut() else { return false };
                let Event::Agent(AgentEvent::MessageUpdate {
                    kind: same, content_index: place, delta: Some(_), ..
                }) = &**last
                else {
                    return false;
                };
                if (same, place) != (kind, content_index) {
                    return false;
                }
                if let Event::Agent(AgentEvent::MessageUpdate { delta: Some(delta), .. }) = Arc::make_mut(last) {
                    delta.push_str(more);
                }
                true
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, .. } => {
                let of_call = |event: &Event| {
                    matches!(event, Event::Agent(AgentEvent::ToolExecutionUpdate { tool_call_id: id, .. })
                        if id == tool_call_id)
                };
                let waiting = self.events.iter_mut().rev().take(LOOK_BACK).find(|(event, _)| of_call(event));
                waiting.map(|(event, _)| *event = Arc::clone(new)).is_some()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
