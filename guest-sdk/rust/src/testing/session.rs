//! The fake of the import `session`: a session that is kept, with the entries of the plugin.

use std::cell::RefCell;

use crate::session::Refusal;

/// An entry that the plugin has added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its kind, in the plugin's words.
    pub kind: String,
    /// Its data, as JSON text.
    pub data: String,
    /// Its label.
    pub label: Option<String>,
}

#[derive(Default)]
struct Session {
    name: Option<String>,
    entries: Vec<Entry>,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::default());
}

/// The entries that the plugin has added.
pub fn entries() -> Vec<Entry> {
    SESSION.with_borrow(|session| session.entries.clone())
}

/// Names the session, as the user does.
pub fn set_session_name(name: Option<&str>) {
    SESSION.with_borrow_mut(|session| session.name = name.map(str::to_owned));
}

pub(crate) fn id() -> String {
    "test".to_owned()
}

pub(crate) fn name() -> Option<String> {
    SESSION.with_borrow(|session| session.name.clone())
}

pub(crate) fn leaf() -> Option<String> {
    SESSION.with_borrow(|session| session.entries.last().map(|entry| entry.id.clone()))
}

pub(crate) fn set_name(name: &str) -> Result<(), Refusal> {
    set_session_name(Some(name).filter(|name| !name.trim().is_empty()));
    Ok(())
}

pub(crate) fn set_label(entry: &str, label: Option<&str>) -> Result<(), Refusal> {
    SESSION.with_borrow_mut(|session| {
        let entry = session.entries.iter_mut().find(|there| there.id == entry).ok_or(Refusal::NoEntry)?;
        entry.label = label.map(str::to_owned);
        Ok(())
    })
}

pub(crate) fn append(kind: &str, data: &str) -> Result<String, Refusal> {
    SESSION.with_borrow_mut(|session| {
        let id = format!("entry-{}", session.entries.len() + 1);
        let (kind, data) = (kind.to_owned(), data.to_owned());
        session.entries.push(Entry { id: id.clone(), kind, data, label: None });
        Ok(id)
    })
}
