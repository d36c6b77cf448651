//! Messages that wait for their turn: steering joins a run at its next request, a follow-up when it would stop.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::Message;

/// How many messages a poll takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueMode {
    /// The oldest one.
    #[default]
    OneAtATime,
    /// All there are.
    All,
}

/// Is told of each poll: how many messages it took.
type Observer = Arc<dyn Fn(usize) + Send + Sync>;

/// A queue of messages. Cloning it shares it: one end may be held while a run holds the other.
#[derive(Clone, Default)]
pub struct Queue {
    waiting: Arc<Mutex<VecDeque<Message>>>,
    mode: QueueMode,
    observer: Option<Observer>,
}

impl Queue {
    /// An empty queue.
    pub fn new(mode: QueueMode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// The same queue, which tells of each poll how many messages it took.
    #[must_use]
    pub fn observed(self, observer: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }

    /// The same queue, polled in another mode.
    #[must_use]
    pub fn with_mode(&self, mode: QueueMode) -> Self {
        Self { mode, ..self.clone() }
    }

    /// Appends a message.
    pub fn push(&self, message: Message) {
        self.lock().push_back(message);
    }

    /// Empties it.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// How many messages wait.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Takes what the mode says.
    pub fn poll(&self) -> Vec<Message> {
        let taken: Vec<Message> = match self.mode {
            QueueMode::OneAtATime => self.lock().pop_front().into_iter().collect(),
            QueueMode::All => self.lock().drain(..).collect(),
        };
        if let Some(observer) = &self.observer {
            observer(taken.len());
        }
        taken
    }

    /// Puts back what was polled and could not be delivered, before what waits.
    pub fn put_back(&self, messages: Vec<Message>) {
        let mut waiting = self.lock();
        messages.into_iter().rev().for_each(|message| waiting.push_front(message));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("waiting", &self.waiting).field("mode", &self.mode).finish_non_exhaustive()
    }
}
