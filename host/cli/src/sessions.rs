//! Where sessions are, and which one somebody means.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use etcetera::BaseStrategy as _;
use seam_session::folder::{self, Listed};
use seam_session::{Header, Session};

use crate::terminal::style::one_line;

/// So much of an id is shown: the time of its making, to the millisecond.
const SHORT: usize = 13;
/// How many sessions are named to choose from.
const NAMED: usize = 10;

/// The sessions of one workspace.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// The folder below which all sessions are.
    pub(crate) root: PathBuf,
    /// The workspace, canonical.
    pub(crate) cwd: PathBuf,
}

impl Sessions {
    /// Those below the folder that is named, or below the usual one.
    pub(crate) fn of(named: Option<&Path>, cwd: &Path) -> Result<Self> {
        let root = match named {
            Some(folder) => path::absolute(folder).with_context(|| format!("{} cannot be used", folder.display()))?,
            None => usual()?,
        };
        Ok(Self { root, cwd: cwd.to_owned() })
    }

    /// The folder of this workspace.
    pub(crate) fn folder(&self) -> PathBuf {
        folder::of(&self.root, &self.cwd.to_string_lossy())
    }

    /// The same, made if it is not there. What is said there is for the user alone.
    pub(crate) fn made_folder(&self) -> Result<PathBuf> {
        let folder = self.folder();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| {
            format!(
                "the session folder {} cannot be made; name another with `--session-dir`, or keep no session with \
                 `--no-session`",
                folder.display()
            )
        })?;
        Ok(folder)
    }

    /// All of this workspace, the newest first.
    pub(crate) fn list(&self) -> Result<Vec<Listed>> {
        let folder = self.folder();
        let all = folder::list(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        Ok(all.into_iter().filter(|listed| self.is_of_here(&listed.header)).collect())
    }

    /// The file of a session: named itself, by its id or the beginning of it, or by the name the user gave it.
    pub(crate) fn find(&self, named: &str) -> Result<PathBuf> {
        ensure!(!named.is_empty(), "no session is named; give its id, the beginning of it, its name, or its file");
        if named.contains('/') || named.ends_with(".jsonl") {
            return Ok(named.into());
        }
        let all = self.list()?;
        let mut found: Vec<&Listed> = all.iter().filter(|listed| listed.header.id.starts_with(named)).collect();
        if let Some(exact) = found.iter().find(|listed| listed.header.id == named) {
            found = vec![exact];
        }
        match &*found {
            [one] => Ok(one.path.clone()),
            [] => self.with_name(named, &all),
            several => {
                bail!("`{}` begins the ids of {} sessions; give more of it: {}", named, several.len(), ids(several))
            }
        }
    }

    /// The file of the session that has this name.
    fn with_name(&self, name: &str, all: &[Listed]) -> Result<PathBuf> {
        let has_it = |listed: &&Listed| Session::read(&listed.path).is_ok_and(|session| session.name() == Some(name));
        let found: Vec<&Listed> = all.iter().filter(has_it).collect();
        let shown = one_line(name, SHORT * 3);
        match &*found {
            [one] => Ok(one.path.clone()),
            [] => bail!(
                "no session of {} has the name `{shown}` or an id that begins so; `seam session ls` lists them",
                self.cwd.display(),
            ),
            several => bail!("{} sessions have the name `{shown}`; give an id: {}", several.len(), ids(several)),
        }
    }

    /// Whether a session works in this workspace.
    pub(crate) fn is_of_here(&self, header: &Header) -> bool {
        let there = Path::new(&header.cwd);
        there == self.cwd || there.canonicalize().is_ok_and(|there| there == self.cwd)
    }
}

/// An id as it is shown.
pub(crate) fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

fn ids(sessions: &[&Listed]) -> String {
    let ids: Vec<&str> = sessions.iter().take(NAMED).map(|listed| &*listed.header.id).collect();
    let more = sessions.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", ids.join(", "))
}

fn usual() -> Result<PathBuf> {
    let folders = etcetera::choose_base_strategy()
        .context("there is no home folder to keep sessions in; name one with `--session-dir`, or use `--no-session`")?;
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Ok(state.join("seam").join("sessions"))
}
