//! `session`: what plugins write into the session's file beside messages.

use std::sync::Arc;

use seam_session::{NewEntry, SessionError, SessionLog};
use serde_json::Value;

use crate::reach::Reach;
use crate::reach::budget::Bounded;
use crate::record::Record;

/// Why something is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotWritten {
    /// The session is not kept.
    NotKept,
    /// There is no such entry.
    NoEntry,
    /// The plugin has written as much as it may.
    TooMany,
    /// It could not be stored, and the conversation does not go on.
    NotStored,
}

impl Reach {
    /// The name of the session.
    pub fn session_name(&self) -> Option<String> {
        self.record()?.read(|session| session.name().map(str::to_owned))
    }

    /// The id of the newest entry on the chosen branch.
    pub fn leaf(&self) -> Option<String> {
        self.record()?.read(|session| session.leaf().map(|leaf| leaf.id().to_owned()))
    }

    /// Names the session for a plugin. An empty name takes the name away.
    ///
    /// # Errors
    /// When it is not written.
    pub fn name_session(&self, plugin: &Arc<str>, name: &str) -> Result<(), NotWritten> {
        self.write(plugin, |log| log.name(&shown(name))).map(drop)
    }

    /// Labels an entry for a plugin, or takes its label away.
    ///
    /// # Errors
    /// When it is not written.
    pub fn label_entry(&self, plugin: &Arc<str>, entry: &str, label: Option<&str>) -> Result<(), NotWritten> {
        let record = self.record().ok_or(NotWritten::NotKept)?;
        if !record.read(|session| session.entry(entry).is_some()) {
            return Err(NotWritten::NoEntry);
        }
        let label = label.map(shown);
        self.write(plugin, |log| log.label(entry, label.as_deref())).map(drop)
    }

    /// Adds an entry of a plugin. Gives its id.
    ///
    /// # Errors
    /// When it is not written.
    pub fn append_entry(&self, plugin: &Arc<str>, kind: &str, data: Value) -> Result<String, NotWritten> {
        let custom_type = format!("{plugin}/{kind}");
        self.write(plugin, |log| log.append(NewEntry::Custom { custom_type, data: Some(data) }))
    }

    /// Writes at once, also while a call is under way: what stands between a call and its result in the file parts nothing.
    fn write(
        &self,
        plugin: &Arc<str>,
        work: impl FnOnce(&mut SessionLog) -> Result<String, SessionError>,
    ) -> Result<String, NotWritten> {
        let record = self.record().ok_or(NotWritten::NotKept)?;
        if !self.handle.tell.conversation.may(plugin, Bounded::Entry) {
            return Err(NotWritten::TooMany);
        }
        record.write(work).ok_or(NotWritten::NotStored)
    }

    fn record(&self) -> Option<&Record> {
        self.handle.tell.record.as_ref()
    }
}

/// A name or a label as it can be shown: on one line.
fn shown(text: &str) -> String {
    text.split(['\r', '\n'])
        .map(|line| line.chars().filter(|c| !c.is_control()).collect())
        .collect::<Vec<String>>()
        .join(" ")
}
