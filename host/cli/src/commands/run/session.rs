//! The session that a run is kept in: a new one, or one that goes on.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use seam_session::{NewSession, Session, SessionLog, folder};

use crate::args::RunArgs;
use crate::config::Config;
use crate::sessions::{Sessions, short};

/// Where a run is kept, if it is.
pub(super) struct Kept {
    pub(super) log: Option<SessionLog>,
    /// The folder of all sessions. It is closed to tools, whether this run is kept or not.
    root: Option<PathBuf>,
}

/// Opens what the arguments ask for. Nothing is made for a session that goes on.
pub(super) fn open(args: &RunArgs, cwd: &Path, config: &Config) -> Result<Kept> {
    let sessions = Sessions::of(args.session_dir.as_deref(), cwd);
    if args.no_session {
        return Ok(Kept { log: None, root: sessions.ok().map(|sessions| sessions.root) });
    }
    let (sessions, durability) = (sessions?, config.session.durability.into());
    let old = match &args.session {
        Some(named) => Some(sessions.find(named)?),
        None if args.go_on => Some(newest(&sessions)?),
        None => None,
    };
    let log = match old {
        Some(path) => {
            is_of_here(&sessions, &path)?;
            SessionLog::open(path, durability)?
        }
        None => folder::create(&sessions.made_folder()?, NewSession::new(cwd.to_string_lossy()), durability)?,
    };
    Ok(Kept { log: Some(log), root: Some(sessions.root) })
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
    /// What no tool may write.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let file = self.log.as_ref().map(|log| log.session().path().to_owned());
        self.root.clone().into_iter().chain(file)
    }

    /// Leaves no file behind in which nothing was said.
    pub(super) fn leave(&self) {
        if let Some(Err(error)) = self.log.as_ref().map(SessionLog::remove_if_unused) {
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
    bail!("{} has no session to go on with; run without `--continue`", sessions.cwd.display())
}
