//! Tells what happens: first to the session file, then to the conversation that hooks read, to the observers, to the
//! host's sink. In this order.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use seam_loop::{AgentEvent, CancellationToken, Decider, EventSink, Ruling};

use crate::bus::Trail;
use crate::event::{Event, SessionEvent, Sink};
use crate::moment::Conversation;
use crate::observers::Observers;
use crate::record::Record;
use crate::settings::Settings;

/// Everyone who is told.
pub(crate) struct Tell {
    /// Where the conversation is kept, if it is.
    pub(crate) record: Option<Record>,
    pub(crate) conversation: Arc<Conversation>,
    /// Those of the plugins that are in force.
    observers: RwLock<Arc<Observers>>,
    /// Ends what observers do about what is told now: an abort of the user fires it.
    watching: Mutex<CancellationToken>,
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) settings: Arc<Settings>,
}

impl Tell {
    pub(crate) fn new(
        record: Option<Record>,
        conversation: Arc<Conversation>,
        observers: Observers,
        sink: Arc<dyn Sink>,
        settings: Settings,
    ) -> Self {
        let (observers, watching) = (RwLock::new(Arc::new(observers)), Mutex::default());
        Self { record, conversation, observers, watching, sink, settings: Arc::new(settings) }
    }

    pub(crate) fn tell(&self, event: impl Into<Event>) {
        let event = event.into();
        let at = || (self.conversation.moment(), self.watching().clone());
        self.observers().offer(&event, at, &*self.sink);
        self.sink.emit(event);
    }

    /// Does what the user asked for. An abort of it also ends what observers do about everything that is told until it is
    /// done.
    pub(crate) async fn heeding<T>(&self, abort: &CancellationToken, work: impl Future<Output = T>) -> T {
        let mut work = Box::pin(work);
        tokio::select! {
            biased;
            () = abort.cancelled() => {}
            done = &mut work => return done,
        }
        self.watching().cancel();
        let done = work.await;
        *self.watching() = CancellationToken::new();
        done
    }

    fn watching(&self) -> MutexGuard<'_, CancellationToken> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The observers that are told now.
    pub(crate) fn observers(&self) -> Arc<Observers> {
        Arc::clone(&self.observers.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From here on these are told. Gives those before.
    pub(crate) fn observe_with(&self, observers: Observers) -> Arc<Observers> {
        let mut current = self.observers.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, Arc::new(observers))
    }

    /// Tells of the decisions that say something.
    pub(crate) fn decided(&self, trail: Trail) {
        for decision in trail {
            debug_assert!(!matches!(decision.by, Decider::User), "the user decides about tool calls alone");
            if decision.ruling != Ruling::Proceed {
                self.tell(SessionEvent::Decided { decision });
            }
        }
    }

    /// Why the conversation cannot go on: something of it could not be stored.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.record.as_ref()?.failure()
    }

    /// What is told of an event. Of a message only when it is stored; when one is not, the run ends, and what it still
    /// does to end is no news.
    fn news(&self, event: AgentEvent) -> Option<AgentEvent> {
        let Some(record) = &self.record else { return Some(event) };
        if let AgentEvent::MessageEnd { message } = &event {
            return record.message(message).then_some(event);
        }
        match (record.failure(), event) {
            (None, event) => Some(event),
            (Some(_), AgentEvent::AgentEnd { .. }) => Some(AgentEvent::AgentEnd { messages: Vec::new(), added: 0 }),
            (Some(_), _) => None,
        }
    }
}

impl EventSink for Tell {
    fn emit(&self, event: AgentEvent) {
        if matches!(event, AgentEvent::AgentEnd { .. }) {
            self.flush();
        }
        let Some(event) = self.news(event) else { return };
        if let AgentEvent::MessageEnd { message } = &event {
            self.conversation.push(Arc::clone(message));
        }
        let turn_is_over = matches!(event, AgentEvent::TurnEnd { .. });
        self.tell(Event::Agent(event));
        if turn_is_over {
            self.save_point();
        }
    }
}
