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
//!
//! Told to stop, it leaves what was there, and no temporary file. Only a file that is written in place is finished once it
//! was begun: half of it would be worse.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicU32, Ordering};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::flistxattr_query;
use tokio_util::sync::CancellationToken;

use crate::blocking::{Undone, go_on};
use crate::path::open_file;

/// How many bytes are written between two looks at the token.
const CHUNK: usize = 1024 * 1024;

/// Puts the bytes there.
///
/// # Errors
/// What the system says, that the name leads to no ordinary file, or that it was told to stop.
pub(crate) fn replace(dir: &Dir, name: &OsStr, bytes: &[u8], stop: &CancellationToken) -> Result<(), Undone> {
    go_on(stop)?;
    match open_file(dir, name, true) {
        Ok(old) => change(dir, name, &old, bytes, stop),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(dir, name, bytes, stop),
        Err(error) => Err(error.into()),
    }
}

fn create(dir: &Dir, name: &OsStr, bytes: &[u8], stop: &CancellationToken) -> Result<(), Undone> {
    let written = put(&make(dir, name, 0o666)?, bytes, stop);
    if written.is_err() {
        let _reported_anyway = dir.remove_file(name);
    }
    written
}

fn change(dir: &Dir, name: &OsStr, old: &File, bytes: &[u8], stop: &CancellationToken) -> Result<(), Undone> {
    if is_plain(old)? && swap(dir, name, old, bytes, stop)? {
        return Ok(());
    }
    go_on(stop)?;
    Ok(overwrite(old, bytes)?)
}

/// Whether another file in its place would be the same to everyone.
fn is_plain(old: &File) -> io::Result<bool> {
    let attributes = flistxattr_query(old).unwrap_or(0);
    Ok(old.metadata()?.nlink() == 1 && attributes == 0)
}

/// Lets a new file take the old one's place. `false`, with nothing changed, where that cannot keep all.
fn swap(dir: &Dir, name: &OsStr, old: &File, bytes: &[u8], stop: &CancellationToken) -> Result<bool, Undone> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".seam-{}-{count}.tmp", std::process::id());
    let Ok(file) = make(dir, temporary.as_ref(), 0o600) else { return Ok(false) };
    let swapped = fill(&file, old, bytes, stop).and_then(|same| {
        if same {
            go_on(stop)?;
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
fn fill(file: &File, old: &File, bytes: &[u8], stop: &CancellationToken) -> Result<bool, Undone> {
    let (new, old) = (file.metadata()?, old.metadata()?);
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        return Ok(false);
    }
    put(file, bytes, stop)?;
    file.set_permissions(old.permissions())?;
    Ok(true)
}

fn put(mut file: &File, bytes: &[u8], stop: &CancellationToken) -> Result<(), Undone> {
    for chunk in bytes.chunks(CHUNK) {
        go_on(stop)?;
        file.write_all(chunk)?;
    }
    go_on(stop)
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
