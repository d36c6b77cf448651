//! Sessions that are made of others: forks, and migrated copies. The source is only read.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::entry::{Entry, Parent};
use crate::file::{create, sync_new};
use crate::{Durability, EntryKind, Header, NewSession, Session, SessionError, SessionLog, ids};

#[cfg(test)]
mod tests;

/// What a fork keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkPoint {
    /// All branches.
    Whole,
    /// The branch to this entry, with it.
    At(String),
    /// The branch to this user message, without it: the user says something else there.
    Before(String),
}

impl SessionLog {
    /// Makes a new session of an old one. Entries keep their ids and their text; what cannot be read is not in it.
    ///
    /// Without a parent session or metadata of its own, it gets the source's path and metadata.
    ///
    /// # Errors
    ///
    /// When there is no such entry, the source was changed behind our back, or the new file cannot be made. A fork that
    /// fails leaves no file.
    pub fn fork(
        source: &Session,
        point: &ForkPoint,
        path: impl Into<PathBuf>,
        new: NewSession,
        durability: Durability,
    ) -> Result<Self, SessionError> {
        Self::fork_as(source, point, |_| path.into(), new, durability)
    }

    /// The same, with a path that depends on the header.
    pub(crate) fn fork_as(
        source: &Session,
        point: &ForkPoint,
        path: impl FnOnce(&Header) -> PathBuf,
        new: NewSession,
        durability: Durability,
    ) -> Result<Self, SessionError> {
        let entries = chosen(source, point)?;
        let mut header = new.header()?;
        header.parent_session.get_or_insert_with(|| source.path().to_string_lossy().into_owned());
        header.metadata = header.metadata.or_else(|| source.header().metadata.clone());
        copy(source, &header, &entries, path(&header), durability)
    }

    /// Makes a copy of a session of version 1 or 2 that is of version 3. It is the same session, with the same id.
    ///
    /// # Errors
    ///
    /// When the source was changed behind our back, or the new file cannot be made.
    pub fn migrate(source: &Session, path: impl Into<PathBuf>, durability: Durability) -> Result<Self, SessionError> {
        let entries: Vec<&Entry> = source.entries().iter().collect();
        copy(source, source.header(), &entries, path.into(), durability)
    }
}

fn chosen<'a>(source: &'a Session, point: &ForkPoint) -> Result<Vec<&'a Entry>, SessionError> {
    let (id, with) = match point {
        ForkPoint::Whole => return Ok(source.entries().iter().collect()),
        ForkPoint::At(id) => (id, true),
        ForkPoint::Before(id) => (id, false),
    };
    let mut path = source.index.path(Some(source.known(id)?));
    if !with {
        let user = |index| source.index.get(index).is_some_and(|entry| entry.kind.is_message_of("user"));
        if !path.pop().is_some_and(user) {
            return Err(SessionError::NotUserMessage { path: source.path().to_owned(), id: id.clone() });
        }
    }
    Ok(path.into_iter().filter_map(|index| source.index.get(index)).collect())
}

/// Writes a file under another name, and gives it its own when it is whole.
fn copy(
    source: &Session,
    header: &Header,
    entries: &[&Entry],
    path: PathBuf,
    durability: Durability,
) -> Result<SessionLog, SessionError> {
    let mut part = path.clone().into_os_string();
    part.push(format!(".part-{}", ids::session()));
    let part = PathBuf::from(part);
    let reserved = create(&path)?;
    let failed = |source| SessionError::Create { path: path.clone(), source };
    let made = write(source, header, entries, &part, &path);
    let named = made.and_then(|file| fs::rename(&part, &path).and_then(|()| sync_new(&file, &path)).map_err(failed));
    if let Err(error) = named {
        let _gone = (fs::remove_file(&part), fs::remove_file(&path));
        return Err(error);
    }
    drop(reserved);
    SessionLog::open(path, durability)
}

fn write(
    source: &Session,
    header: &Header,
    entries: &[&Entry],
    part: &Path,
    path: &Path,
) -> Result<File, SessionError> {
    let failed = |source| SessionError::Create { path: path.to_owned(), source };
    let file = File::options().write(true).create_new(true).open(part).map_err(failed)?;
    let mut writer = BufWriter::new(file);
    writer.write_all(header.line().as_bytes()).map_err(failed)?;
    let copied: HashSet<&str> = entries.iter().map(|entry| entry.id()).collect();
    for entry in entries {
        let mut line = line(source, entry, &copied)?;
        line.push(b'\n');
        writer.write_all(&line).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| failed(error.into_error()))
}

/// An entry's line: byte for byte, unless it is of an old version or names an entry that is not copied.
fn line(source: &Session, entry: &Entry, copied: &HashSet<&str>) -> Result<Vec<u8>, SessionError> {
    let lost_parent = entry.parent == Parent::Missing;
    let lost_target = matches!(&entry.kind, EntryKind::Leaf { target: Some(target) } if !copied.contains(&**target));
    if source.header().version == crate::header::VERSION && !lost_parent && !lost_target {
        let mut line = source.line(entry)?;
        line.truncate(line.trim_ascii_end().len());
        return Ok(line);
    }
    let mut fields = source.fields(entry)?;
    if lost_parent {
        fields.insert("parentId".to_owned(), Value::Null);
    }
    if lost_target {
        // The branch that is copied goes on below the move, so the move leads nowhere else.
        fields.insert("targetId".to_owned(), source.parent(entry).map(Entry::id).into());
    }
    Ok(Value::Object(fields).to_string().into_bytes())
}
