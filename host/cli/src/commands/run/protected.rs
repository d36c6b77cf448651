//! What the agent's own tools may not write: the settings, the plugins and what was compiled of them, and sessions.

use std::path::{Path, PathBuf};
use std::{fs, path};

use seam_plugins::Plugin;

use crate::commands::run::outer::Rules;
use crate::config::{Config, Origin};
use crate::lock::Lock;
use crate::trust;

/// How many links are followed by hand.
const LINKS: usize = 40;

/// What says which plugins a run has and what they may do: settings, lock, plugins and what the user agreed to.
pub(super) fn usual(cwd: &Path, config: &Config) -> Vec<PathBuf> {
    let Origin { project, user, .. } = &config.origin;
    let here = [cwd.join("seam.toml"), cwd.join("seam.lock"), cwd.join(".seam"), cwd.join(".seam/plugins")];
    let there = [project.clone(), Lock::file(config)];
    here.into_iter().chain(there).chain(user.clone()).chain(trust::place()).collect()
}

/// Each place under the name it is known by, and where it leads.
pub(super) fn paths(named: &[PathBuf], plugins: &[Plugin], around: &[Rules]) -> Vec<PathBuf> {
    let mut named = named.to_vec();
    named.extend(plugins.iter().map(|plugin| plugin.file().to_owned()));
    named.extend(around.iter().flat_map(Rules::files).map(Path::to_owned));
    named.extend(super::plugins::cache());
    let mut paths: Vec<PathBuf> = named.iter().flat_map(|path| both(path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The same place under both its names.
pub(super) fn both(path: &Path) -> [PathBuf; 2] {
    let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    [leads_to(&path, LINKS), path]
}

/// The canonical path of what is there, or of what would be there if it were written.
fn leads_to(path: &Path, links: usize) -> PathBuf {
    if let Ok(canonical) = path.canonicalize() {
        return canonical;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    match fs::read_link(path) {
        Ok(target) if links > 0 => leads_to(&parent.join(target), links - 1),
        _ => leads_to(parent, links).join(name),
    }
}
