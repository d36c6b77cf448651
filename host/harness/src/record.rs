//! The session file of a conversation, while the conversation goes on: what is to be told is stored first.
//!
//! Writing happens on the thread that tells, and is waited for: an entry that is confirmed by the disk takes some hundred
//! microseconds, and nothing may depend on it before.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use seam_loop::{CancellationToken, Message, Model, ThinkingLevel};
use seam_session::{NewEntry, SessionError, SessionLog};

use crate::stored;

/// The file, until a write fails. Then nothing more is written, and the conversation does not go on.
pub(crate) struct Record {
    log: Mutex<SessionLog>,
    /// Why nothing is written any more.
    failure: OnceLock<String>,
    /// Stops the run that is under way.
    run: Mutex<CancellationToken>,
}

impl Record {
    pub(crate) fn new(log: SessionLog) -> Self {
        Self { log: Mutex::new(log), failure: OnceLock::new(), run: Mutex::default() }
    }

    /// What stops a run: what stopped it before, and a write that fails.
    pub(crate) fn guard(&self, abort: &CancellationToken) -> CancellationToken {
        let run = abort.child_token();
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = run.clone();
        run
    }

    /// Why the conversation cannot go on, in words for the user.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Stores a message. Gives whether it is stored.
    pub(crate) fn message(&self, message: &Message) -> bool {
        self.write(|log| log.append(stored::entry(message)).map(drop))
    }

    /// Stores the model and the thinking level, where the file says others. Gives whether it says these now.
    pub(crate) fn settings(&self, model: &Model, level: ThinkingLevel) -> bool {
        let level = level_name(level);
        self.write(|log| {
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
            Ok(())
        })
    }

    /// Makes sure that everything is stored. Gives whether it is.
    pub(crate) fn save_point(&self) -> bool {
        self.write(SessionLog::save_point)
    }

    /// Leaves the file, with everything in it stored. One that was made for nothing is removed.
    pub(crate) fn close(&self) {
        self.save_point();
        if let Err(error) = self.lock().remove_if_unused() {
            tracing::warn!("an empty session is left: {error}");
        }
    }

    fn write(&self, work: impl FnOnce(&mut SessionLog) -> Result<(), SessionError>) -> bool {
        if self.failure.get().is_some() {
            return false;
        }
        let Err(error) = work(&mut self.lock()) else { return true };
        let told = format!("{error}. Nothing was done after that: what cannot be recorded is not decided");
        let _first = self.failure.set(told);
        self.run.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        false
    }

    fn lock(&self) -> MutexGuard<'_, SessionLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As it stands in the file.
fn level_name(level: ThinkingLevel) -> String {
    serde_json::to_value(level).ok().and_then(|level| level.as_str().map(str::to_owned)).unwrap_or_default()
}
