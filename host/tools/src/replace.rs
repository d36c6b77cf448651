//! Puts bytes into a file of a held folder.
//!
//! | what is there | what is done | what is kept |
//! |---|---|---|
//! | nothing | the file is made | - |
//! | a plain file: one name, our own, no extended attributes | a temporary file beside it takes its place | mode |
//! | any other file, or a folder we may not add to | it is written in place | mode, owner, names, attributes |
//!
//! A reader of a plain file sees the old bytes or the new ones, never half; of any other file it may see half.
//! A file that may not be written is not replaced either: its mode says what its owner wants. A link that was put in the
//! file's place is never followed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicU32, Ordering};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::flistxattr_query;

use crate::path::open_file;

/// Puts the bytes there.
///
/// # Errors
/// What the system says, or that the name leads to no ordinary file.
pub(crate) fn replace(dir: &Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    match open_file(dir, name, true) {
        Ok(old) => change(dir, name, &old, bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(dir, name, bytes),
        Err(error) => Err(error),
    }
}

fn create(dir: &Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let mut file = make(dir, name, 0o666)?;
    let written = file.write_all(bytes);
    if written.is_err() {
        let _reported_anyway = dir.remove_file(name);
    }
    written
}

fn change(dir: &Dir, name: &OsStr, old: &File, bytes: &[u8]) -> io::Result<()> {
    if is_plain(old)? && swap(dir, name, old, bytes)? { Ok(()) } else { overwrite(old, bytes) }
}

/// Whether another file in its place would be the same to everyone.
fn is_plain(old: &File) -> io::Result<bool> {
    let attributes = flistxattr_query(old).unwrap_or(0);
    Ok(old.metadata()?.nlink() == 1 && attributes == 0)
}

/// Lets a new file take the old one's place. `false`, with nothing changed, where that cannot keep all.
fn swap(dir: &Dir, name: &OsStr, old: &File, bytes: &[u8]) -> io::Result<bool> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".seam-{}-{count}.tmp", std::process::id());
    let Ok(file) = make(dir, temporary.as_ref(), 0o600) else { return Ok(false) };
    let swapped = fill(file, old, bytes).and_then(|same| {
        if same {
            dir.rename(&temporary, dir, name)?;
        }
        Ok(same)
    });
    if !matches!(swapped, Ok(true)) {
        let _reported_anyway = dir.remove_file(&temporary);
    }
    swapped
}

/// Makes the new file like the old one, with the new bytes. `false` when it belongs to somebody else.
fn fill(mut file: File, old: &File, bytes: &[u8]) -> io::Result<bool> {
    let (new, old) = (file.metadata()?, old.metadata()?);
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        return Ok(false);
    }
    file.write_all(bytes)?;
    file.set_permissions(old.permissions())?;
    Ok(true)
}

/// The end is cut off last, so that a full disk costs as little as it can.
fn overwrite(mut old: &File, bytes: &[u8]) -> io::Result<()> {
    old.write_all(bytes)?;
    old.set_len(bytes.len() as u64)
}

fn make(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode).follow(FollowSymlinks::No);
    dir.open_with(name, &options).map(cap_std::fs::File::into_std)
}
