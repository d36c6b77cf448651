//! Opening, making and locking of files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use crate::{Durability, Header, SessionError};

/// Opens a file that is there, and locks it.
pub(crate) fn open(path: &Path) -> Result<File, SessionError> {
    only_files(path)?;
    let file = OpenOptions::new().read(true).append(true).open(path);
    let file = file.map_err(|source| SessionError::OpenForWriting { path: path.to_owned(), source })?;
    lock(&file, path)?;
    Ok(file)
}

/// Makes a file that was not there, and locks it.
pub(crate) fn create(path: &Path) -> Result<File, SessionError> {
    let file = OpenOptions::new().read(true).append(true).create_new(true).open(path);
    let file = file.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => SessionError::Exists { path: path.to_owned() },
        _ => SessionError::Create { path: path.to_owned(), source },
    })?;
    lock(&file, path).inspect_err(|_| drop(fs::remove_file(path)))?;
    Ok(file)
}

/// Writes the header of a new file.
pub(crate) fn start(file: &File, path: &Path, header: &Header, durability: Durability) -> Result<(), SessionError> {
    let mut writer = file;
    let written = writer.write_all(header.line().as_bytes());
    let synced = written.and_then(|()| if durability == Durability::Never { Ok(()) } else { sync_new(file, path) });
    synced.map_err(|source| SessionError::Create { path: path.to_owned(), source })
}

/// A new file is on the disk when its name is too.
pub(crate) fn sync_new(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Locks the file itself: nothing is left behind when a process dies, and no reader is kept out.
fn lock(file: &File, path: &Path) -> Result<(), SessionError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => SessionError::Locked { path: path.to_owned() },
        TryLockError::Error(source) => SessionError::Lock { path: path.to_owned(), source },
    })
}

/// Opening a pipe would wait for its other end, and a device or folder is no session.
pub(crate) fn only_files(path: &Path) -> Result<(), SessionError> {
    let found = fs::metadata(path).map_err(|source| SessionError::Open { path: path.to_owned(), source })?;
    if found.is_file() {
        return Ok(());
    }
    let reason = if found.is_dir() { "it is a folder" } else { "it is a pipe or device" };
    Err(SessionError::NotASession { path: path.to_owned(), reason: reason.to_owned() })
}
