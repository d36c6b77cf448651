//! Walks a folder and all below it, by handles, for `grep` and `find`.
//!
//! Each folder is opened by its name in the folder above. No link is followed. `.git` is left out, and so is what
//! `.gitignore` and `.ignore` files name, those of the folders above included; hidden files are not. `.git/info/exclude`
//! and the user's global ignore file do not count, nor does an ignore file that is too large.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};

use crate::path::{Folder, open_file};

mod ignored;
#[cfg(test)]
mod tests;

use ignored::Ignored;

/// Folders deeper than this are not entered.
const MAX_DEPTH: usize = 128;

/// Something that was met.
pub(crate) struct Met<'a> {
    /// Its path, to show. Not to open.
    pub(crate) path: &'a Path,
    dir: &'a Dir,
    name: &'a OsString,
    kind: FileType,
}

impl Met<'_> {
    pub(crate) fn is_folder(&self) -> bool {
        self.kind.is_dir()
    }

    /// The file, open for reading; `None` for anything but an ordinary file.
    pub(crate) fn file(&self) -> Option<io::Result<File>> {
        self.kind.is_file().then(|| open_file(self.dir, self.name, false))
    }
}

/// What a walk passed over though nobody asked for that.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    /// How many folders or entries could not be read.
    pub(crate) unreadable: usize,
    /// How many ignore files were too large to be heeded.
    pub(crate) ignore_files: usize,
}

impl Passed {
    /// What a result says of it.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let Self { unreadable, ignore_files } = self;
        let max = ignored::MAX_FILE / 1024;
        let bad = (*unreadable > 0).then(|| format!("{unreadable} files or folders could not be read."));
        let large = (*ignore_files > 0).then(|| format!("{ignore_files} ignore files over {max} KiB were not heeded."));
        bad.into_iter().chain(large)
    }
}

/// A walk: what is done with each thing that is met, in order of names, folders before what they hold.
pub(crate) struct Walk<F> {
    visit: F,
    ignored: Ignored,
    unreadable: usize,
}

/// Walks. `visit` ends the walk with `Break`. Gives what it passed over.
///
/// # Errors
/// When the folder itself cannot be read.
pub(crate) fn walk<F>(folder: &Folder, visit: F) -> io::Result<Passed>
where
    F: FnMut(&Met<'_>) -> ControlFlow<()>,
{
    let mut ignored = Ignored::default();
    for (path, dir) in &folder.above {
        ignored.enter(path, dir);
    }
    folder.dir.entries()?;
    let mut walk = Walk { visit, ignored, unreadable: 0 };
    let _ended = walk.enter(&folder.path, &folder.dir, 0);
    Ok(Passed { unreadable: walk.unreadable, ignore_files: walk.ignored.too_large })
}

/// The entries of a folder in order of their names, and how many could not be read.
pub(crate) fn entries(dir: &Dir) -> io::Result<(Vec<(OsString, FileType)>, usize)> {
    let read = dir.entries()?.map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))));
    let (good, bad): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
    let mut entries: Vec<_> = good.into_iter().flatten().collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok((entries, bad.len()))
}

impl<F> Walk<F>
where
    F: FnMut(&Met<'_>) -> ControlFlow<()>,
{
    fn enter(&mut self, path: &Path, dir: &Dir, depth: usize) -> ControlFlow<()> {
        let (true, Ok((entries, bad))) = (depth < MAX_DEPTH, entries(dir)) else {
            self.unreadable += 1;
            return ControlFlow::Continue(());
        };
        self.unreadable += bad;
        self.ignored.enter(path, dir);
        let result = entries.iter().try_for_each(|(name, kind)| self.meet(path.join(name), dir, name, *kind, depth));
        self.ignored.leave();
        result
    }

    fn meet(&mut self, path: PathBuf, dir: &Dir, name: &OsString, kind: FileType, depth: usize) -> ControlFlow<()> {
        if name == ".git" || self.ignored.holds(&path, kind.is_dir()) {
            return ControlFlow::Continue(());
        }
        (self.visit)(&Met { path: &path, dir, name, kind })?;
        if !kind.is_dir() {
            return ControlFlow::Continue(());
        }
        match dir.open_dir_nofollow(name) {
            Ok(below) => self.enter(&path, &below, depth + 1),
            Err(_) => {
                self.unreadable += 1;
                ControlFlow::Continue(())
            }
        }
    }
}
