//! `state`: what plugins remember in a conversation. It is a reduction over the entries of the branch to the leaf: so it
//! follows moves and forks, and a compaction takes nothing away from it.
//!
//! A call works on a [`Draft`] and sees its own writes. When it ends well, what it has changed is one entry, which is
//! stored before its answer counts. Of a conversation that is in no file, and of a plugin in the shadow, it is kept in
//! memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seam_session::{NewEntry, Session, SessionError};
use serde_json::{Map, Value, json};

use crate::moment::{Conversation, Moment, Owner};
use crate::record::Record;

/// The type of the entries that keep it. Entries of plugins have a `/` in theirs.
pub const ENTRY: &str = "seam:state";

/// A text under each key that is written; nothing under one that is forgotten.
type Changes = BTreeMap<Arc<str>, Option<Arc<str>>>;
/// What all plugins remember, by plugin.
type All = BTreeMap<Arc<str>, Arc<Remembered>>;

/// What one plugin remembers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Remembered {
    texts: BTreeMap<Arc<str>, Arc<str>>,
    /// How long keys and texts are together.
    bytes: usize,
}

impl Remembered {
    /// Gives whether that changes anything.
    fn put(&mut self, key: &Arc<str>, text: Option<&Arc<str>>) -> bool {
        let before = match text {
            Some(text) => self.texts.insert(Arc::clone(key), Arc::clone(text)),
            None => self.texts.remove(key),
        };
        let size = |text: Option<&Arc<str>>| text.map_or(0, |text| key.len() + text.len());
        self.bytes = self.bytes + size(text) - size(before.as_ref());
        before.as_ref() != text
    }

    /// With these changes, and those of them that change anything.
    fn with(&self, changes: &Changes) -> (Self, Changes) {
        let mut after = self.clone();
        let mut done = changes.clone();
        done.retain(|key, text| after.put(key, text.as_ref()));
        (after, done)
    }
}

/// What a call sees of what its plugin remembers: what was there when it began, and what it has written since.
#[derive(Debug, Clone)]
pub struct Draft {
    before: Arc<Remembered>,
    changes: Changes,
    bytes: usize,
}

impl Draft {
    fn of(before: Arc<Remembered>) -> Self {
        Self { bytes: before.bytes, before, changes: Changes::new() }
    }

    /// The text under a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        match self.changes.get(key) {
            Some(text) => text.as_deref(),
            None => self.before.texts.get(key).map(|text| &**text),
        }
    }

    /// All keys, in byte order.
    pub fn keys(&self) -> Vec<String> {
        let before = self.before.texts.keys().filter(|key| !self.changes.contains_key(*key));
        let written = self.changes.iter().filter(|(_, text)| text.is_some()).map(|(key, _)| key);
        let mut keys: Vec<String> = before.chain(written).map(|key| key.to_string()).collect();
        keys.sort_unstable();
        keys
    }

    /// Whether a text fits under a key, when keys and texts may be so long together.
    pub fn has_room(&self, key: &str, text: &str, quota: usize) -> bool {
        self.bytes - self.size(key) + key.len() + text.len() <= quota
    }

    /// Puts a text under a key.
    pub fn set(&mut self, key: &str, text: &str) {
        self.bytes = self.bytes - self.size(key) + key.len() + text.len();
        self.changes.insert(key.into(), Some(text.into()));
    }

    /// Forgets a key.
    pub fn delete(&mut self, key: &str) {
        self.bytes -= self.size(key);
        self.changes.insert(key.into(), None);
    }

    /// Whether nothing was written.
    pub fn is_unchanged(&self) -> bool {
        self.changes.is_empty()
    }

    /// How much a key takes, with its text.
    fn size(&self, key: &str) -> usize {
        self.get(key).map_or(0, |text| key.len() + text.len())
    }
}

/// What all plugins remember in one conversation.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// Held by who changes anything: one call after another, and none while it is read from the file.
    turn: Mutex<()>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    kept: All,
    /// Of plugins in the shadow that have written something.
    shadows: All,
    /// What was written before anybody owned the conversation.
    early: BTreeMap<Arc<str>, Changes>,
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The plugin.
    pub plugin: &'a Arc<str>,
    /// It is in the shadow: what it remembers is not stored.
    pub shadow: bool,
}

/// How many bytes each plugin remembers where a session goes on.
///
/// # Errors
/// When the file was changed behind our back.
pub fn sizes(session: &Session) -> Result<BTreeMap<Arc<str>, usize>, SessionError> {
    Ok(reduced(session)?.into_iter().map(|(plugin, remembered)| (plugin, remembered.bytes)).collect())
}

/// The right to change what plugins remember. There is one at a time.
pub struct Keeping<'a> {
    conversation: &'a Conversation,
    _turn: MutexGuard<'a, ()>,
}

impl Moment {
    /// What a plugin remembers now, for a call of it.
    pub fn remembered(&self, of: Writer<'_>) -> Draft {
        Draft::of(self.conversation().states.held().of(of))
    }

    /// Waits for the right to change what plugins remember.
    pub fn keeping(&self) -> Keeping<'_> {
        let conversation = self.conversation();
        Keeping { conversation, _turn: conversation.states.turn() }
    }
}

impl Keeping<'_> {
    /// Whether what a call has written is not too much beside what other calls have written since it began.
    pub fn fits(&self, by: Writer<'_>, draft: &Draft, quota: usize) -> bool {
        let now = self.conversation.states.held().of(by);
        let (after, _) = now.with(&draft.changes);
        after.bytes <= quota.max(now.bytes)
    }

    /// Keeps what a call has written: stores it first. Gives whether it is stored.
    #[must_use = "what is not stored is not remembered"]
    pub fn keep(self, by: Writer<'_>, draft: &Draft) -> bool {
        let states = &self.conversation.states;
        let (after, changes) = states.held().of(by).with(&draft.changes);
        if changes.is_empty() {
            return true;
        }
        let stored = by.shadow
            || match self.conversation.owner() {
                Owner::Reach(reach) => stored(reach.handle.tell.record.as_ref(), by.plugin, &changes),
                Owner::Nobody => {
                    states.held().early.entry(Arc::clone(by.plugin)).or_default().extend(changes);
                    true
                }
                Owner::Left => false,
            };
        if stored {
            states.held().put(by, after);
        }
        stored
    }
}

impl States {
    /// Those of a session.
    pub(crate) fn of(session: &Session) -> Result<Self, SessionError> {
        let held = Held { kept: reduced(session)?, ..Held::default() };
        Ok(Self { turn: Mutex::default(), held: Mutex::new(held) })
    }

    /// Somebody owns the conversation now, with this file. What was written before is stored.
    pub(crate) fn begin(&self, record: Option<&Record>) -> Result<(), SessionError> {
        let _turn = self.turn();
        let early = std::mem::take(&mut self.held().early);
        let Some(record) = record else { return Ok(()) };
        let mut kept = record.read(reduced)?;
        for (plugin, changes) in early {
            let (after, changes) = kept.get(&plugin).cloned().unwrap_or_default().with(&changes);
            if !changes.is_empty() && stored(Some(record), &plugin, &changes) {
                kept.insert(plugin, Arc::new(after));
            }
        }
        self.held().kept = kept;
        Ok(())
    }

    /// The file has another leaf: what is remembered is what its branch says.
    pub(crate) fn reload(&self, record: &Record) -> Result<(), SessionError> {
        let _turn = self.turn();
        let kept = record.read(reduced)?;
        self.held().kept = kept;
        Ok(())
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// A shadow begins with what is stored of its plugin, and goes its own way when it writes.
    fn of(&self, Writer { plugin, shadow }: Writer<'_>) -> Arc<Remembered> {
        let own = self.shadows.get(plugin).filter(|_| shadow);
        own.or_else(|| self.kept.get(plugin)).cloned().unwrap_or_default()
    }

    fn put(&mut self, Writer { plugin, shadow }: Writer<'_>, after: Remembered) {
        let all = if shadow { &mut self.shadows } else { &mut self.kept };
        all.insert(Arc::clone(plugin), Arc::new(after));
    }
}

/// Stores changes, if there is a file. Gives whether that went well.
fn stored(record: Option<&Record>, plugin: &str, changes: &Changes) -> bool {
    record.is_none_or(|record| record.append(entry(plugin, changes)))
}

fn entry(plugin: &str, changes: &Changes) -> NewEntry {
    let set = changes.iter().filter_map(|(key, text)| Some((key.to_string(), Value::from(&**text.as_ref()?))));
    let delete: Vec<&str> = changes.iter().filter(|(_, text)| text.is_none()).map(|(key, _)| &**key).collect();
    let data = json!({ "plugin": plugin, "set": set.collect::<Map<_, _>>(), "delete": delete });
    NewEntry::Custom { custom_type: ENTRY.to_owned(), data: Some(data) }
}

/// What the entries of a branch come to. What cannot be read of one is left out.
fn reduced(session: &Session) -> Result<All, SessionError> {
    let mut all: BTreeMap<Arc<str>, Remembered> = BTreeMap::new();
    session.each_custom(ENTRY, |data| {
        let Some(plugin) = data.get("plugin").and_then(Value::as_str) else { return };
        let remembered = all.entry(plugin.into()).or_default();
        for (key, text) in data.get("set").and_then(Value::as_object).into_iter().flatten() {
            if let Some(text) = text.as_str() {
                remembered.put(&key.as_str().into(), Some(&text.into()));
            }
        }
        let deleted = data.get("delete").and_then(Value::as_array).into_iter().flatten();
        for key in deleted.filter_map(Value::as_str) {
            remembered.put(&key.into(), None);
        }
    })?;
    Ok(all.into_iter().map(|(plugin, remembered)| (plugin, Arc::new(remembered))).collect())
}

#[cfg(test)]
mod tests;
