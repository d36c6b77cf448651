//! What the tests share: files written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Durability, NewEntry, NewSession, Session, SessionLog};

pub(crate) const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-11-30T14:37:43.120Z","cwd":"/work"}"#;
/// When the entries of [`line`] were made.
pub(crate) const TIME: i64 = 1_796_049_464_000;

/// A folder with a session file in it.
pub(crate) struct Bed {
    pub(crate) folder: tempfile::TempDir,
}

impl Bed {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A bed whose file holds these bytes.
    pub(crate) fn with(bytes: impl AsRef<[u8]>) -> Self {
        let bed = Self::new();
        fs::write(bed.path(), bytes).unwrap();
        bed
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("talk.jsonl")
    }

    pub(crate) fn other(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self) -> Session {
        Session::read(self.path()).unwrap()
    }

    pub(crate) fn create(&self) -> SessionLog {
        SessionLog::create(self.path(), NewSession::new("/work"), Durability::Never).unwrap()
    }

    pub(crate) fn open(&self) -> SessionLog {
        SessionLog::open(self.path(), Durability::Never).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// What an error says, with `FILE` for the session file.
    pub(crate) fn said<T>(&self, result: Result<T, crate::SessionError>) -> String {
        let error = result.err().expect("an error").to_string();
        error.replace(&self.path().display().to_string(), "FILE").replace(&folder(self.folder.path()), "FOLDER")
    }

    /// The names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn folder(path: &Path) -> String {
    path.display().to_string()
}

/// A file of a header and these lines.
pub(crate) fn file(lines: &[String]) -> String {
    [HEADER].into_iter().chain(lines.iter().map(String::as_str)).map(|line| format!("{line}\n")).collect()
}

/// A line of an entry: `parent` is an id or nothing, `fields` are what the type has beside the base.
pub(crate) fn line(kind: &str, id: &str, parent: Option<&str>, fields: Value) -> String {
    let mut line = json!({ "type": kind, "id": id, "parentId": parent, "timestamp": "2026-11-30T14:37:44.000Z" });
    let all = line.as_object_mut().unwrap();
    all.extend(fields.as_object().unwrap().clone());
    line.to_string()
}

/// A message of a user.
pub(crate) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }], "timestamp": 1 })
}

/// A line with a message of a user.
pub(crate) fn said(id: &str, parent: Option<&str>, text: &str) -> String {
    line("message", id, parent, json!({ "message": user(text) }))
}

/// Appends a message of a user.
pub(crate) fn say(log: &mut SessionLog, text: &str) -> String {
    log.append(NewEntry::Message(user(text))).unwrap()
}

/// The texts of the messages of users in the context.
pub(crate) fn heard(session: &Session) -> Vec<String> {
    let messages = session.context().unwrap().messages;
    let texts = messages.iter().filter_map(|message| message["content"][0]["text"].as_str());
    texts.map(str::to_owned).collect()
}
