//! The session that a run is kept in: a new one, or one that goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use seam_session::{Journal, NewSession, Session, SessionLog, folder, leave};

use crate::args::RunArgs;
use crate::config::Config;
use crate::sessions::{Sessions, short};

/// Where a run is kept, if it is.
pub(in crate::commands) struct Kept {
    pub(in crate::commands) log: Option<SessionLog>,
    /// Its file.
    file: Option<PathBuf>,
    /// Where it is written who decided what, if it is.
    pub(in crate::commands) journal: Option<Arc<Journal>>,
    /// The folder of all sessions. It is closed to tools, whether this run is kept or not.
    root: Option<PathBuf>,
}

/// Opens what the arguments ask for. Nothing is made for a session that goes on.
pub(super) fn open(args: &RunArgs, cwd: &Path, config: &Config) -> Result<Kept> {
    let sessions = Sessions::of(args.session_dir.as_deref(), cwd);
    if args.no_session {
        return Ok(nothing(sessions.ok().map(|sessions| sessions.root)));
    }
    let (sessions, durability) = (sessions?, config.session.durability.into());
    let old = match &args.session {
        Some(named) => Some(sessions.find(named)?),
        None if args.go_on => Some(newest(&sessions)?),
        None => None,
    };
    match old {
        Some(path) => go_on(&sessions, path, config),
        None => {
            let new = NewSession::new(cwd.to_string_lossy());
            keep(folder::create(&sessions.made_folder()?, new, durability)?, &sessions, config)
        }
    }
}

/// Goes on with a session of this workspace.
pub(in crate::commands) fn go_on(sessions: &Sessions, path: PathBuf, config: &Config) -> Result<Kept> {
    is_of_here(sessions, &path)?;
    keep(SessionLog::open(path, config.session.durability.into())?, sessions, config)
}

/// Keeps a session that is open, with its journal.
pub(in crate::commands) fn keep(log: SessionLog, sessions: &Sessions, config: &Config) -> Result<Kept> {
    let journal = journal(&log, config).inspect_err(|_| drop(leave(&log, None)))?;
    let file = Some(log.session().path().to_owned());
    Ok(Kept { log: Some(log), file, journal, root: Some(sessions.root.clone()) })
}

/// Keeps nothing.
pub(in crate::commands) fn nothing(root: Option<PathBuf>) -> Kept {
    Kept { log: None, file: None, journal: None, root }
}

/// From its beginning it hides the keys that are in the environment.
fn journal(log: &SessionLog, config: &Config) -> Result<Option<Arc<Journal>>> {
    let Some(bounds) = config.journal() else { return Ok(None) };
    let journal = Journal::of(log, bounds)?;
    config.providers()?.set_keys().iter().for_each(|key| journal.hide(key));
    Ok(Some(Arc::new(journal)))
}

/// Paths in a session mean something in its own workspace only.
fn is_of_here(sessions: &Sessions, path: &Path) -> Result<()> {
    let there = folder::header(path)?;
    ensure!(
        sessions.is_of_here(&there),
        "session `{}` works in {}, not in {}; run it with `--cwd {}`, or fork it into this workspace with `seam session \
         fork`",
        path.display(),
        there.cwd,
        sessions.cwd.display(),
        there.cwd
    );
    Ok(())
}

/// The session's id.
pub(super) fn id(log: &SessionLog) -> &str {
    &log.session().header().id
}

/// Which session it is, for a person.
pub(super) fn told(log: &SessionLog) -> String {
    let goes_on = if log.session().entries().is_empty() { "" } else { ", which goes on" };
    format!("{}{goes_on}", short(id(log)))
}

impl Kept {
    /// The folder of all sessions, with their journals.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// What no tool may write.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.root.clone().into_iter().chain(self.file.clone())
    }

    /// Leaves no file behind in which nothing was said.
    pub(super) fn leave(&self) {
        if let Some(Err(error)) = self.log.as_ref().map(|log| leave(log, self.journal.as_deref())) {
            tracing::warn!("an empty session is left: {error}");
        }
    }
}

/// The newest session in which anything was said.
fn newest(sessions: &Sessions) -> Result<PathBuf> {
    for listed in sessions.list()? {
        let session = Session::read(&listed.path)?;
        if !session.entries().is_empty() {
            return Ok(listed.path);
        }
    }
    bail!(
        "{} has no session in which anything was said; run without `--continue`, or name one with `--session`",
        sessions.cwd.display()
    )
}
