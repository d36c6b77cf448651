//! From a text to a handle, and to the target that gates are shown.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType, FileTypeExt, Metadata};
use rustix::io::Errno;
use seam_loop::tool::{Access, Resolution, Target, ToolError};

use super::canonical::{Found, find};
use super::describe::reason;
use super::handle::{Folder, Opened, OpenedFile, Place, open_file};
use super::workspace::{Root, Workspace};
use crate::blocking::blocking;

/// How often a path is looked up again when it changes meanwhile.
const TRIES: usize = 5;

/// A path that was looked up: what gates are shown, and the handle, or why there is none.
#[derive(Debug)]
pub(crate) struct Resolved<H> {
    target: Target,
    handle: Result<H, String>,
}

impl<H> Resolved<H> {
    /// What gates are shown.
    pub(crate) fn target(&self) -> Target {
        self.target.clone()
    }

    /// The handle.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn into_handle(self) -> Result<H, ToolError> {
        self.handle.map_err(ToolError::Failed)
    }
}

/// Why a walk gave no handle.
enum Stopped {
    /// What is there is no longer what was looked up.
    Changed,
    /// It is there, but it cannot be used.
    Refused(String),
}

impl Stopped {
    fn by(error: &io::Error, path: &Path) -> Self {
        match Errno::from_io_error(error) {
            Some(Errno::LOOP | Errno::NOTDIR | Errno::NOENT) => Self::Changed,
            _ => Self::Refused(format!("{} cannot be opened: {}.", path.display(), reason(error))),
        }
    }
}

impl Workspace {
    /// Looks up something to read.
    pub(crate) async fn to_read(self: &Arc<Self>, given: String) -> Result<Resolved<Opened>, ToolError> {
        let workspace = self.clone();
        blocking(move || Ok(workspace.resolve(&given, Access::Read, |root, found| read(root, found, &given)))).await
    }

    /// Looks up a place to write a file.
    pub(crate) async fn to_write(self: &Arc<Self>, given: String) -> Result<Resolved<Place>, ToolError> {
        let workspace = self.clone();
        blocking(move || Ok(workspace.resolve(&given, Access::Write, |root, found| write(root, found, &given)))).await
    }

    fn resolve<H>(
        &self,
        given: &str,
        access: Access,
        open: impl Fn(&Root, &Found) -> Result<H, Stopped>,
    ) -> Resolved<H> {
        let target = |resolution| Target::Path { given: given.to_owned(), resolution, access };
        for _ in 0..TRIES {
            let found = match find(self.root().as_path(), given) {
                Ok(found) => found,
                Err(why) => return unresolved(given, access, why),
            };
            let handle = match self.root_of(&found.base, access).map(|root| open(root, &found)) {
                Some(Err(Stopped::Changed)) => continue,
                Some(Err(Stopped::Refused(why))) => Err(why),
                Some(Ok(handle)) => Ok(handle),
                None => Err(self.outside(given, &found)),
            };
            let (path, location, exists) = (found.full(), self.locate(&found.base), found.missing.is_empty());
            return Resolved { target: target(Resolution::Resolved { path, location, exists }), handle };
        }
        unresolved(given, access, "it kept changing while it was looked up".to_owned())
    }

    fn outside(&self, given: &str, found: &Found) -> String {
        format!(
            "`{given}` is outside the workspace {} (it leads to {}). To allow a folder, add it to `outside` under \
             `[workspace]` in `seam.toml`.",
            self.root().as_path().display(),
            found.full().display()
        )
    }
}

fn unresolved<H>(given: &str, access: Access, why: String) -> Resolved<H> {
    let handle = Err(format!("`{given}` cannot be resolved: {why}."));
    Resolved {
        target: Target::Path { given: given.to_owned(), resolution: Resolution::Unresolved(why), access },
        handle,
    }
}

/// Walks down from a held folder, name by name. Gives each folder on the way, the last one last.
fn walk(root: &Root, path: &Path) -> Result<Vec<(PathBuf, Dir)>, Stopped> {
    let start = root.dir.try_clone().map_err(|error| Stopped::by(&error, path))?;
    let mut way = vec![(root.path.as_path().to_owned(), start)];
    let below = path.strip_prefix(root.path.as_path()).map_err(|_| Stopped::Changed)?;
    for name in below.components() {
        let (Component::Normal(name), Some((above, dir))) = (name, way.last()) else { return Err(Stopped::Changed) };
        let step = dir.open_dir_nofollow(name).map_err(|error| Stopped::by(&error, path))?;
        way.push((above.join(name), step));
    }
    Ok(way)
}

/// The folder that holds a path, and the path's name in it.
fn walk_to_parent<'a>(root: &Root, path: &'a Path) -> Result<Option<(Dir, &'a OsStr)>, Stopped> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    if path == root.path.as_path() {
        return Ok(None);
    }
    let dir = walk(root, parent)?.pop().map(|(_, dir)| dir).ok_or(Stopped::Changed)?;
    Ok(Some((dir, name)))
}

fn read(root: &Root, found: &Found, given: &str) -> Result<Opened, Stopped> {
    let path = found.base.as_path();
    if !found.missing.is_empty() {
        return Err(Stopped::Refused(format!("`{given}` does not exist.")));
    }
    let Some((dir, name)) = walk_to_parent(root, path)? else { return folder(root, path) };
    let kind = look(&dir, name, path)?.file_type();
    if kind.is_dir() {
        return folder(root, path);
    }
    ordinary(kind, given)?;
    let file = open_file(&dir, name, false).map_err(|error| Stopped::by(&error, path))?;
    Ok(Opened::File(OpenedFile { path: path.to_owned(), file }))
}

fn folder(root: &Root, path: &Path) -> Result<Opened, Stopped> {
    let mut above = walk(root, path)?;
    let (path, dir) = above.pop().ok_or(Stopped::Changed)?;
    Ok(Opened::Folder(Folder { path, dir, above }))
}

fn write(root: &Root, found: &Found, given: &str) -> Result<Place, Stopped> {
    let is_folder = || Stopped::Refused(format!("`{given}` is a folder, not a file."));
    let path = found.full();
    let Some((name, missing)) = found.missing.split_last() else {
        let (dir, name) = walk_to_parent(root, &path)?.ok_or_else(is_folder)?;
        let kind = look(&dir, name, &path)?.file_type();
        if kind.is_dir() {
            return Err(is_folder());
        }
        ordinary(kind, given)?;
        return Ok(Place { dir, missing: Vec::new(), name: name.to_owned(), exists: true, path });
    };
    if given.ends_with('/') {
        return Err(is_folder());
    }
    let (_, dir) = walk(root, found.base.as_path())?.pop().ok_or(Stopped::Changed)?;
    Ok(Place { dir, missing: missing.to_vec(), name: name.clone(), exists: false, path })
}

fn look(dir: &Dir, name: &OsStr, path: &Path) -> Result<Metadata, Stopped> {
    dir.symlink_metadata(name).map_err(|error| Stopped::by(&error, path))
}

/// Only ordinary files are opened: opening a pipe or a device can have an effect, or never end.
fn ordinary(kind: FileType, given: &str) -> Result<(), Stopped> {
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_symlink() => return Err(Stopped::Changed),
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ if kind.is_block_device() || kind.is_char_device() => "a device",
        _ => "something special",
    };
    Err(Stopped::Refused(format!("`{given}` is {what}, not an ordinary file.")))
}
