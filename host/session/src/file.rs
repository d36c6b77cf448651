//! Opening, making and locking of files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Durability, Header, SessionError};

/// How long a lock is waited for. A process that is killed while it starts another one leaves its lock to that one until
/// that has begun: some milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the lock is tried until then.
const LOOK: Duration = Duration::from_millis(5);

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
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => thread::sleep(LOOK),
            Err(TryLockError::WouldBlock) => return Err(SessionError::Locked { path: path.to_owned() }),
            locked => {
                return locked.map_err(|error| SessionError::Lock { path: path.to_owned(), source: error.into() });
            }
        }
    }
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
