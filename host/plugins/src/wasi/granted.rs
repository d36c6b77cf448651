//! What of WASI a plugin is granted, as it is when the plugin is loaded.

use std::sync::Arc;

use crate::grants::site::Site;
use crate::grants::{Folder, FolderMode, Grant, Grants};
use crate::limits::Mode;

/// What of WASI reaches something. By itself: nothing does.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    pub(super) clock: bool,
    pub(super) random: bool,
    /// The variables that are there, with their values.
    pub(super) env: Vec<(String, String)>,
    pub(super) folders: Vec<Folder>,
    pub(super) sites: Arc<[Site]>,
    /// Whether it may send to its sites.
    pub(super) sends: bool,
}

impl Granted {
    /// A plugin in the shadow changes nothing: it writes no files, and sends nothing: a request tells
    /// somebody something, even one that only asks.
    pub(crate) fn of(grants: &Grants, mode: Mode) -> Self {
        let variable = |name: &String| Some((name.clone(), std::env::var(name).ok()?));
        Self {
            clock: grants.clock,
            random: grants.random,
            env: grants.env.iter().filter_map(variable).collect(),
            folders: grants.fs.iter().map(|folder| found(folder, mode)).collect(),
            sends: mode != Mode::Shadow,
            sites: grants.http.iter().filter_map(|entry| Site::parse(entry).ok()).collect(),
        }
    }

    /// Whether anything of it is not inert.
    pub(crate) fn is_any(&self) -> bool {
        !self.live().is_empty()
    }

    /// What of it is not inert.
    pub(super) fn live(&self) -> Vec<Grant> {
        let all = [
            (Grant::Clock, self.clock),
            (Grant::Random, self.random),
            (Grant::Env, !self.env.is_empty()),
            (Grant::Fs, !self.folders.is_empty()),
            (Grant::Http, !self.sites.is_empty()),
        ];
        all.into_iter().filter_map(|(grant, is_live)| is_live.then_some(grant)).collect()
    }
}

/// The folder with its place as it is now, through links. Where that cannot be said, opening it says why.
fn found(folder: &Folder, mode: Mode) -> Folder {
    let place = folder.place().canonicalize().unwrap_or_else(|_| folder.place().to_owned());
    let mode = if mode == Mode::Shadow { FolderMode::Ro } else { folder.mode };
    Folder { place, mode, ..folder.clone() }
}
