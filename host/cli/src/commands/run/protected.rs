//! What the agent's own tools may not write: the settings, the plugins and what was compiled of them, and sessions.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, path};

use seam_plugins::{Plugin, load::wasm_files};

use crate::commands::run::outer::Rules;
use crate::config::{Config, Origin};
use crate::lock::Lock;
use crate::trust;

/// How many links are followed.
const LINKS: usize = 40;

/// What says which plugins a run has and what they may do: settings, lock, plugins and what the user agreed to.
pub(super) fn usual(cwd: &Path, config: &Config) -> Vec<PathBuf> {
    let Origin { project, user, .. } = &config.origin;
    let here = [cwd.join("seam.toml"), cwd.join("seam.lock"), cwd.join(".seam"), cwd.join(".seam/plugins")];
    let there = [project.clone(), Lock::file(config)];
    here.into_iter().chain(there).chain(user.clone()).chain(trust::place()).collect()
}

/// Where each place is, and every link on the way to it: who replaces a link puts something else in its place. Of the
/// folder of the plugins also those that are not loaded: they may be the next time.
pub(super) fn paths(named: &[PathBuf], folder: Option<&Path>, plugins: &[Plugin], around: &[Rules]) -> Vec<PathBuf> {
    let mut named = named.to_vec();
    named.extend(folder.into_iter().flat_map(|folder| wasm_files(folder).unwrap_or_default()));
    named.extend(plugins.iter().map(|plugin| plugin.file().to_owned()));
    named.extend(around.iter().flat_map(Rules::files).map(Path::to_owned));
    named.extend(super::plugins::cache());
    let mut paths: Vec<PathBuf> = named.iter().flat_map(|path| way(path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Every link on the way to a place, in its folders too, and last the place itself: where it is, or would be if it were
/// written. In canonical folders all.
pub(super) fn way(path: &Path) -> Vec<PathBuf> {
    let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest: VecDeque<OsString> = parts(&path).collect();
    let (mut links, mut here) = (Vec::new(), PathBuf::new());
    while let Some(part) = rest.pop_front() {
        if part == Component::ParentDir.as_os_str() {
            here.pop();
            continue;
        }
        let next = here.join(part);
        match fs::read_link(&next) {
            Ok(target) if links.len() < LINKS => {
                parts(&target).rev().for_each(|part| rest.push_front(part));
                links.push(next);
            }
            _ => here = next,
        }
    }
    links.push(here);
    links
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn folder() -> (TempDir, PathBuf) {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["conf", "real/deep"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        (folder, root)
    }

    fn found(root: &Path, path: &str) -> Vec<String> {
        let way = way(&root.join(path));
        way.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn every_link_on_the_way_is_found_and_where_it_ends() {
        let (_folder, root) = folder();
        symlink("conf/link.toml", root.join("seam.toml")).unwrap();
        symlink("../real/seam.toml", root.join("conf/link.toml")).unwrap();
        let way = ["seam.toml", "conf/link.toml", "real/seam.toml"];
        assert_eq!(found(&root, "seam.toml"), way, "it would be written there");
        fs::write(root.join("real/seam.toml"), "").unwrap();
        assert_eq!(found(&root, "seam.toml"), way);
        assert_eq!(found(&root, "real/../seam.toml"), way);
    }

    #[test]
    fn so_are_the_links_of_its_folders() {
        let (_folder, root) = folder();
        symlink("conf/s", root.join(".seam")).unwrap();
        symlink(root.join("real"), root.join("conf/s")).unwrap();
        symlink("deep/../mid.wasm", root.join("real/gate.wasm")).unwrap();
        let way = [".seam", "conf/s", "real/gate.wasm", "real/mid.wasm"];
        assert_eq!(found(&root, ".seam/gate.wasm"), way);
        assert_eq!(found(&root, ".seam/none/x"), [".seam", "conf/s", "real/none/x"]);
    }

    #[test]
    fn links_in_a_circle_come_to_an_end() {
        let (_folder, root) = folder();
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        assert_eq!(found(&root, "a/x").len(), LINKS + 1);
    }
}
