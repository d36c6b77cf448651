//! Other sessions: a fork of one, and the way from one to another.

use std::fmt;
use std::path::Path;

use seam_loop::CancellationToken;
use seam_session::{Durability, ForkPoint, NewSession, Session, SessionError, SessionLog, folder, leave};

use crate::bus::{HookBus, Trail};
use crate::event::{Event, Reason, SessionEvent, Sink};
use crate::failure::Stopped;
use crate::harness::{Harness, NotStarted, Parts};
use crate::seams::Fork;
use crate::stored::Restored;

/// Why there is no fork. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum NotForked {
    /// A plugin did not want it, or failed.
    #[error("Not forked: {0}")]
    Stopped(#[from] Stopped),
    /// The user aborted it.
    #[error("Not forked: it was aborted")]
    Aborted,
    /// There is no file to make a fork of.
    #[error("Not forked: the conversation is not kept in a session")]
    NotKept,
    /// The session cannot be read, or the fork not be written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Why the session was not left for another.
#[derive(Debug, thiserror::Error)]
pub enum NotSwitched {
    /// A plugin did not want it, or failed. The session goes on.
    #[error("Not switched: {why}")]
    Stopped {
        /// The session.
        here: Box<Harness>,
        /// Who stopped it.
        why: Stopped,
    },
    /// The user aborted it. The session goes on.
    #[error("Not switched: it was aborted")]
    Aborted(Box<Harness>),
    /// The session was left, and the other did not begin.
    #[error("the session was left, and the other did not begin: {0}")]
    NotStarted(#[from] NotStarted),
}

/// A session that is to be made of another.
#[derive(Debug, Clone)]
pub struct NewFork<'a> {
    /// What it keeps.
    pub point: ForkPoint,
    /// The folder that its file will be in.
    pub folder: &'a Path,
    /// What it is made of.
    pub new: NewSession,
    /// When its entries are on the disk for certain.
    pub durability: Durability,
}

/// Makes a new session of one, which stays as it is, unless a plugin stops it. The hooks' conversation is that of the
/// source: they read there what the source says, whatever was there before.
///
/// # Errors
/// When there is no fork. Nothing was written then.
pub async fn fork(
    bus: &HookBus,
    sink: &dyn Sink,
    source: &Session,
    fork: NewFork<'_>,
    abort: &CancellationToken,
) -> Result<SessionLog, NotForked> {
    let NewFork { point, folder, new, durability } = fork;
    let Restored { messages, .. } = Restored::of(source)?;
    bus.conversation.replace(messages.into_iter().map(Into::into));
    let (mut trail, asked) = (Trail::new(), asked(source, &point));
    let agreed = async {
        match &asked {
            Some(fork) => bus.session_before_fork(fork, &bus.conversation.moment(), &mut trail).await,
            None => Ok(()),
        }
    };
    let agreed = tokio::select! {
        biased;
        () = abort.cancelled() => Err(NotForked::Aborted),
        agreed = agreed => Ok(agreed),
    };
    for decision in trail.into_iter().filter(|decision| decision.ruling != seam_loop::Ruling::Proceed) {
        sink.emit(Event::Session(SessionEvent::Decided { decision }));
    }
    agreed??;
    Ok(folder::fork(source, &point, folder, new, durability)?)
}

/// What plugins are asked. Nothing for a session without entries.
fn asked(source: &Session, point: &ForkPoint) -> Option<Fork> {
    let (entry, holds_entry) = match point {
        ForkPoint::Whole => (source.leaf().or(source.entries().last())?.id().to_owned(), true),
        ForkPoint::At(entry) => (entry.clone(), true),
        ForkPoint::Before(entry) => (entry.clone(), false),
    };
    Some(Fork { entry, holds_entry })
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness").field("session", &self.tell.conversation.session()).finish_non_exhaustive()
    }
}

impl Harness {
    /// Makes a new session of this one, which goes on as it is, unless a plugin stops it. The fork is not begun.
    ///
    /// # Errors
    /// When there is no fork. Nothing was written then.
    pub async fn fork(&self, new: NewFork<'_>, abort: &CancellationToken) -> Result<SessionLog, NotForked> {
        let record = self.tell.record.as_ref().ok_or(NotForked::NotKept)?;
        let source = Session::read(record.read(|session| session.path().to_owned()))?;
        fork(self.dispatcher.bus(), &*self.tell.sink, &source, new, abort).await
    }

    /// Leaves this session for another, unless a plugin of this one stops it: a new one, or one that holds something and
    /// goes on. `reason` says which, to both. The other comes with its own plugins: what they remember is of one session.
    ///
    /// # Errors
    /// When this session is not left, or the other does not begin.
    pub async fn switch(self, to: Parts, reason: Reason, abort: &CancellationToken) -> Result<Self, NotSwitched> {
        let there = to.log.as_ref().map(SessionLog::session).filter(|session| !session.entries().is_empty());
        let there = there.map(|session| session.header().id.clone());
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let agreed = tokio::select! {
            biased;
            () = abort.cancelled() => None,
            agreed = self.dispatcher.bus().session_before_switch(there.as_deref(), &at, &mut trail) => Some(agreed),
        };
        self.tell.decided(trail);
        let stays = match agreed {
            Some(Ok(())) => {
                let previous = at.session().to_owned();
                self.close(reason).await;
                return Ok(Self::begin(to, Some((reason, previous))).await?);
            }
            Some(Err(why)) => NotSwitched::Stopped { here: Box::new(self), why },
            None => NotSwitched::Aborted(Box::new(self)),
        };
        let journal = to.dispatcher.bus().journal.as_deref();
        if let Some(Err(error)) = to.log.as_ref().map(|log| leave(log, journal)) {
            tracing::warn!("an empty session is left: {error}");
        }
        Err(stays)
    }
}
