//! A project, its sessions, and runs in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use seam_session::Session;
use seam_tests::files;
use tempfile::TempDir;

use super::disk::Disk;
use super::script::Script;

/// The layer that makes calls on files fail. It is built with the workspace.
pub(super) fn layer() -> PathBuf {
    let layer = files::root().join("target/debug/libseam_faults.so");
    assert!(layer.is_file(), "{} is not there; `cargo build --workspace` builds it", layer.display());
    layer
}

/// Folders that are removed with it.
pub(super) struct Bed {
    folder: TempDir,
    /// A disk of its own for the sessions.
    disk: Option<Disk>,
}

impl Bed {
    /// A bed whose sessions are as durable as the settings can say: `entry`, `save-point` or `never`.
    pub(super) fn new(durability: &str) -> Self {
        let bed = Self { folder: TempDir::new().unwrap(), disk: None };
        fs::create_dir(bed.project()).unwrap();
        fs::create_dir(bed.sessions()).unwrap();
        let settings = format!("[session]\ndurability = \"{durability}\"\n");
        fs::write(bed.project().join("seam.toml"), settings).unwrap();
        bed
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Gives the sessions a disk of their own.
    pub(super) fn with_disk(mut self, pages: u64) -> Self {
        self.disk = Some(Disk::new(&self.sessions(), pages));
        self
    }

    pub(super) fn disk(&self) -> &Disk {
        self.disk.as_ref().expect("a bed with a disk")
    }

    pub(super) fn sessions(&self) -> PathBuf {
        let folder = self.folder.path().join("sessions");
        self.disk.as_ref().map_or(folder.clone(), |disk| disk.seen_from_outside(&folder))
    }

    pub(super) fn other(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Leaves everything where it is, to be looked at.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// The session files, oldest first.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        files_in(&self.sessions())
    }

    /// The newest session that is one. A process may have died before it had written the first line.
    pub(super) fn session(&self) -> Option<PathBuf> {
        self.files().into_iter().rev().find(|file| Session::read(file).is_ok())
    }

    /// A run that plays a script, in a new session or in one that goes on.
    pub(super) fn command(&self, script: &Script, session: Option<&Path>) -> Command {
        script.prepare(&self.project());
        let played = self.other(&format!("{}.json", script.name));
        fs::write(&played, script.json().to_string()).unwrap();
        let seam = files::root().join("target/debug/seam");
        let mut run = self.disk.as_ref().map_or_else(|| Command::new(&seam), |disk| disk.command(&seam));
        run.args(["run", "--json", "--cwd"]).arg(self.project());
        run.arg("--session-dir").arg(self.folder.path().join("sessions"));
        run.arg("--plugins").arg(files::root().join("target/plugins")).arg("--script").arg(played);
        if let Some(session) = session {
            run.arg("--session").arg(session);
        }
        run.env_remove("SEAM_LOG").env_remove("SEAM_OUTER_RUNS").env("NO_COLOR", "1");
        run.env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
        run.env("XDG_STATE_HOME", files::root().join("target/test-state"));
        run.env("XDG_CONFIG_HOME", files::root().join("target/test-config"));
        run.arg(script.prompt());
        run
    }
}

/// The session files below a folder, oldest first.
pub(super) fn files_in(sessions: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(sessions).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
}
