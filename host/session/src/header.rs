//! The first line: which session this is, and of which version.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{SessionError, ids, time};

#[cfg(test)]
mod tests;

/// The version that is written.
pub(crate) const VERSION: u64 = 3;

/// The first line of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The format's version, 1 to 3.
    pub version: u64,
    /// The session's id.
    pub id: String,
    /// When it was made, in ISO 8601.
    pub timestamp: String,
    /// The folder it works in.
    pub cwd: String,
    /// The file it was forked from.
    pub parent_session: Option<String>,
    /// What else its maker wanted to note.
    pub metadata: Option<Map<String, Value>>,
}

/// What a new session is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewSession {
    /// The folder it works in.
    pub cwd: String,
    /// Its id. Without one, it is made.
    pub id: Option<String>,
    /// The file it comes from, if it comes from one.
    pub parent_session: Option<String>,
    /// What else to note.
    pub metadata: Option<Map<String, Value>>,
}

impl NewSession {
    /// A session that works in a folder.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self { cwd: cwd.into(), ..Self::default() }
    }

    /// The header of the session, made now.
    pub(crate) fn header(self) -> Result<Header, SessionError> {
        let id = self.id.unwrap_or_else(ids::session);
        if !ids::allowed(&id) {
            return Err(SessionError::Id { id });
        }
        let (timestamp, cwd) = (time::iso(time::now()), self.cwd);
        let (parent_session, metadata) = (self.parent_session, self.metadata);
        Ok(Header { version: VERSION, id, timestamp, cwd, parent_session, metadata })
    }
}

impl Header {
    /// Reads the first line of a file.
    pub(crate) fn read(path: &Path, line: &str) -> Result<Self, SessionError> {
        let refuse = |reason: &str| SessionError::NotASession { path: path.to_owned(), reason: reason.to_owned() };
        let value = serde_json::from_str(line);
        let Ok(Value::Object(mut fields)) = value else { return Err(refuse("its first line is not a JSON object")) };
        if fields.get("type").and_then(Value::as_str) != Some("session") {
            return Err(refuse("its first line is not a session header"));
        }
        let version = match fields.get("version") {
            None => 1,
            Some(version) => version
                .as_u64()
                .filter(|version| (1..=VERSION).contains(version))
                .ok_or_else(|| SessionError::Version { path: path.to_owned(), version: version.to_string() })?,
        };
        let mut text = |name: &str| match fields.shift_remove(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            _ => Err(refuse(&format!("its header has no `{name}`"))),
        };
        let (id, timestamp, cwd) = (text("id")?, text("timestamp")?, text("cwd")?);
        let parent_session = match fields.shift_remove("parentSession") {
            None => None,
            Some(Value::String(parent)) => Some(parent),
            Some(_) => return Err(refuse("the `parentSession` of its header is no text")),
        };
        let metadata = match fields.shift_remove("metadata") {
            None => None,
            Some(Value::Object(metadata)) => Some(metadata),
            Some(_) => return Err(refuse("the `metadata` of its header are no object")),
        };
        Ok(Self { version, id, timestamp, cwd, parent_session, metadata })
    }

    /// The line of a header of the version that is written, with its line end.
    pub(crate) fn line(&self) -> String {
        let mut fields = Map::new();
        fields.insert("type".to_owned(), "session".into());
        fields.insert("version".to_owned(), VERSION.into());
        fields.insert("id".to_owned(), self.id.clone().into());
        fields.insert("timestamp".to_owned(), self.timestamp.clone().into());
        fields.insert("cwd".to_owned(), self.cwd.clone().into());
        if let Some(parent) = &self.parent_session {
            fields.insert("parentSession".to_owned(), parent.clone().into());
        }
        if let Some(metadata) = &self.metadata {
            fields.insert("metadata".to_owned(), metadata.clone().into());
        }
        format!("{}\n", Value::Object(fields))
    }
}
