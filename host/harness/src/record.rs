//! The session file of a conversation, while the conversation goes on: what is to be told is stored first.
//!
//! Writing happens on the thread that tells, and is waited for: an entry that is confirmed by the disk takes some hundred
//! microseconds, and nothing may depend on it before.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use seam_loop::{CancellationToken, Message};
use seam_session::{Durability, Journal, NewEntry, Session, SessionError, SessionLog};

use crate::settings::Chosen;
use crate::stored;

/// The file, until a write fails. Then nothing more is written, and the conversation does not go on.
pub(crate) struct Record {
    log: Mutex<SessionLog>,
    /// Where it is written who decided what. It is on the disk before an entry that rests on it.
    journal: Option<Arc<Journal>>,
    /// Why nothing is written any more.
    failure: OnceLock<String>,
    /// Stops the run that is under way.
    run: Mutex<CancellationToken>,
}

impl Record {
    pub(crate) fn new(log: SessionLog, journal: Option<Arc<Journal>>) -> Self {
        Self { log: Mutex::new(log), journal, failure: OnceLock::new(), run: Mutex::default() }
    }

    /// What stops a run: what stopped it before, and a write that fails.
    pub(crate) fn guard(&self, abort: &CancellationToken) -> CancellationToken {
        let run = abort.child_token();
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = run.clone();
        run
    }

    /// Why the conversation cannot go on, in words for the user.
    pub(crate) fn failure(&self) -> Option<&str> {
        if let Some(reason) = self.journal.as_ref().and_then(|journal| journal.failure()) {
            self.fail(reason);
        }
        self.failure.get().map(String::as_str)
    }

    /// Ends it: nothing more is written, and the run that is under way stops.
    fn fail(&self, reason: &str) {
        if self.failure.get().is_none() {
            let told = format!("{reason}. Nothing was done after that: what cannot be recorded is not decided");
            let _first = self.failure.set(told);
            self.run.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        }
    }

    /// Stores a message. Gives whether it is stored.
    pub(crate) fn message(&self, message: &Message) -> bool {
        self.append(stored::entry(message))
    }

    /// Stores an entry. Gives whether it is stored.
    pub(crate) fn append(&self, entry: NewEntry) -> bool {
        self.write(|log| log.append(entry).map(drop)).is_some()
    }

    /// Stores what a run begins with, where the file says something else. Gives whether it says this now.
    pub(crate) fn settings(&self, chosen: &Chosen) -> bool {
        let Chosen { model, thinking_level, active_tools } = chosen;
        let level = stored::level_name(*thinking_level);
        let settle = |log: &mut SessionLog| {
            let there = log.session().reduction().model();
            let is_same = |there: &seam_session::Model| {
                (there.provider.as_deref(), there.model_id.as_deref()) == (Some(&*model.provider), Some(&*model.id))
            };
            if !there.is_some_and(is_same) {
                let (provider, model_id) = (model.provider.clone(), model.id.clone());
                log.append(NewEntry::ModelChange { provider, model_id })?;
            }
            if log.session().reduction().thinking_level() != level {
                log.append(NewEntry::ThinkingLevelChange(level))?;
            }
            if let Some(active) = active_tools
                && log.session().reduction().active_tools() != Some(active)
            {
                log.append(NewEntry::ActiveToolsChange(active.clone()))?;
            }
            Ok(())
        };
        self.write(settle).is_some()
    }

    /// The session as it is stored.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(self.lock().session())
    }

    /// Makes sure that everything is stored. Gives whether it is.
    pub(crate) fn save_point(&self) -> bool {
        self.sync_journal(self.lock().durability() != Durability::Never);
        // What failed is remembered.
        let _noted = self.journal.as_ref().map(|journal| journal.save_point());
        self.write(SessionLog::save_point).is_some()
    }

    /// Leaves the file, with everything in it stored. One that was made for nothing is removed.
    pub(crate) fn close(&self) {
        self.save_point();
        if let Err(error) = seam_session::leave(&self.lock(), self.journal.as_deref()) {
            tracing::warn!("an empty session is left: {error}");
        }
    }

    /// Writes. Gives nothing when that failed, now or before; then the conversation does not go on.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut SessionLog) -> Result<T, SessionError>) -> Option<T> {
        let mut log = self.lock();
        self.sync_journal(log.durability() == Durability::EachEntry);
        if self.failure().is_some() {
            return None;
        }
        work(&mut log).inspect_err(|error| self.fail(&error.to_string())).ok()
    }

    /// What failed is remembered by the journal.
    fn sync_journal(&self, is_due: bool) {
        let _synced = self.journal.as_ref().filter(|_| is_due).map(|journal| journal.sync());
    }

    fn lock(&self) -> MutexGuard<'_, SessionLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
