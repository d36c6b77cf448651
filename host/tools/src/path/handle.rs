//! Handles: what a body works on.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};

/// Something to read.
#[derive(Debug)]
pub(crate) enum Opened {
    /// An ordinary file.
    File(OpenedFile),
    /// A folder.
    Folder(Folder),
}

impl Opened {
    /// Its canonical path, to show.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(opened) => &opened.path,
            Self::Folder(folder) => &folder.path,
        }
    }
}

/// An ordinary file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    /// Its canonical path, to show.
    pub(crate) path: PathBuf,
    /// Its handle.
    pub(crate) file: File,
}

/// A folder.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Its canonical path, to show.
    pub(crate) path: PathBuf,
    /// Its handle.
    pub(crate) dir: Dir,
    /// The folders that were crossed to reach it, from the top: their ignore files hold in it too.
    pub(crate) above: Vec<(PathBuf, Dir)>,
}

/// A place to write a file: a held folder, folders still to be made in it, and a name.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its canonical path, to show and to lock.
    pub(crate) path: PathBuf,
    /// Whether a file is there.
    pub(crate) exists: bool,
    pub(super) dir: Dir,
    pub(super) missing: Vec<OsString>,
    /// The file's name.
    pub(crate) name: OsString,
}

impl Place {
    /// The folder that the file is in. Makes those that are missing, one by one; a link put in the way is an error.
    pub(crate) fn folder(&self) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for name in &self.missing {
            match dir.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => dir = dir.open_dir_nofollow(name)?,
            }
        }
        Ok(dir)
    }
}

/// Opens an ordinary file by its name in a folder. Follows no link and never waits for a pipe.
///
/// # Errors
/// What the system says, or that it is no ordinary file.
pub(crate) fn open_file(dir: &Dir, name: &OsStr, write: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(write).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options)?.into_std();
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not an ordinary file")) }
}
