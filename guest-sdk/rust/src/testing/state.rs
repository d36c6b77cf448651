//! The fake of the import `state`: one session, in which no call fails.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::state::Refusal;

/// How much the host keeps by itself, and the longest key. In bytes.
const MOST: (usize, usize) = (64 << 10, 256);

thread_local! {
    static STATE: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// All that the plugin remembers, by key.
pub fn remembered() -> Vec<(String, String)> {
    STATE.with_borrow(|state| state.iter().map(|(key, text)| (key.clone(), text.clone())).collect())
}

/// The plugin remembers this and nothing else, as in a session that goes on.
pub fn set_remembered<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) {
    STATE.set(texts.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect());
}

pub(crate) fn get(key: &str) -> Option<String> {
    STATE.with_borrow(|state| state.get(key).cloned())
}

pub(crate) fn keys() -> Vec<String> {
    STATE.with_borrow(|state| state.keys().cloned().collect())
}

pub(crate) fn set(key: &str, text: &str) -> Result<(), Refusal> {
    is_key(key)?;
    STATE.with_borrow_mut(|state| {
        let others = state.iter().filter(|(other, _)| *other != key);
        let bytes: usize = others.map(|(key, text)| key.len() + text.len()).sum();
        if bytes + key.len() + text.len() > MOST.0 {
            return Err(Refusal::TooLarge);
        }
        state.insert(key.to_owned(), text.to_owned());
        Ok(())
    })
}

pub(crate) fn delete(key: &str) -> Result<(), Refusal> {
    is_key(key)?;
    STATE.with_borrow_mut(|state| state.remove(key));
    Ok(())
}

fn is_key(key: &str) -> Result<(), Refusal> {
    if key.is_empty() || key.len() > MOST.1 { Err(Refusal::BadKey) } else { Ok(()) }
}
