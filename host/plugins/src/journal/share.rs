//! How much of a journal each plugin may fill in a run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seam_session::journal::Journal;

/// Of the journal's room, what one plugin may take in a run: one part of so many.
const PARTS: u64 = 4;

/// What one plugin may still take, in bytes. Cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Room(Arc<AtomicU64>);

/// Who takes what in a session. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shares(Arc<Mutex<HashMap<Arc<str>, Room>>>);

/// How much a plugin may take from the start.
pub(crate) fn whole(journal: &Journal) -> u64 {
    journal.bounds().total / PARTS
}

impl Room {
    pub(crate) fn of(journal: &Journal) -> Self {
        Self(Arc::new(whole(journal).into()))
    }

    /// Whether there is nothing left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// So much was taken.
    pub(crate) fn takes(&self, bytes: u64) {
        let less = |room: u64| Some(room.saturating_sub(bytes));
        let _always = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

impl Shares {
    /// A tool is the plugin's that has this room.
    pub(crate) fn offers(&self, tool: &Arc<str>, room: &Room) {
        self.lock().insert(Arc::clone(tool), room.clone());
    }

    /// The room of the plugin that offers a tool.
    pub(crate) fn of_tool(&self, tool: &str) -> Option<Room> {
        self.lock().get(tool).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Room>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
