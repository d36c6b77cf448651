//! Where sessions are: a folder for each folder that is worked in, and names that sort by time. The reference finds them
//! there, and we find its.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::file::only_files;
use crate::lines::Lines;
use crate::{Durability, ForkPoint, Header, NewSession, Session, SessionError, SessionLog, load};

#[cfg(test)]
mod tests;

/// A session file that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Where it is.
    pub path: PathBuf,
    /// Its first line.
    pub header: Header,
}

/// The folder below `root` for the sessions of a working folder.
pub fn of(root: &Path, cwd: &str) -> PathBuf {
    let inner = cwd.strip_prefix(['/', '\\']).unwrap_or(cwd);
    root.join(format!("--{}--", inner.replace(['/', '\\', ':'], "-")))
}

/// The name of a session's file.
pub fn file_name(header: &Header) -> String {
    format!("{}_{}.jsonl", header.timestamp.replace([':', '.'], "-"), header.id)
}

/// Makes a new session in a folder, under the name that sessions have there. The folder has to be there.
///
/// # Errors
///
/// When the file cannot be made, or the id is no name for a session.
pub fn create(folder: &Path, new: NewSession, durability: Durability) -> Result<SessionLog, SessionError> {
    let header = new.header()?;
    SessionLog::begin(folder.join(file_name(&header)), &header, durability)
}

/// Makes a new session of an old one in a folder, as [`SessionLog::fork`] does.
///
/// # Errors
///
/// When there is no such entry, the source was changed behind our back, or the new file cannot be made.
pub fn fork(
    source: &Session,
    point: &ForkPoint,
    folder: &Path,
    new: NewSession,
    durability: Durability,
) -> Result<SessionLog, SessionError> {
    SessionLog::fork_as(source, point, |header| folder.join(file_name(header)), new, durability)
}

/// The sessions of a folder, the newest first. What is no session is left out; a folder that is not there has none.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<Listed>> {
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut listed = Vec::new();
    for file in files {
        let path = file?.path();
        if path.extension() == Some(OsStr::new("jsonl"))
            && let Ok(header) = header(&path)
        {
            listed.push(Listed { path, header });
        }
    }
    listed.sort_by(|one, other| (&other.header.timestamp, &other.path).cmp(&(&one.header.timestamp, &one.path)));
    Ok(listed)
}

/// Reads the header of a session, and no more of it.
///
/// # Errors
///
/// When there is no such file, or it is no session.
pub fn header(path: &Path) -> Result<Header, SessionError> {
    only_files(path)?;
    let failed = |source| SessionError::Open { path: path.to_owned(), source };
    let mut lines = Lines::new(File::open(path).map_err(failed)?);
    load::header(path, &mut lines, &mut Vec::new()).map(|(header, _)| header)
}
