//! The fake of the import `tool-updates`.

use std::cell::{Cell, RefCell};

use crate::Content;

thread_local! {
    static UPDATES: RefCell<Vec<Update>> = const { RefCell::new(Vec::new()) };
    static CANCELLED: Cell<bool> = const { Cell::new(false) };
}

/// What a tool sent with [`tool_updates`](crate::tool_updates).
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What it says so far.
    pub content: Vec<Content>,
    /// What it adds for programs, as JSON text.
    pub details: Option<String>,
}

/// Takes the updates sent since the last time.
pub fn updates() -> Vec<Update> {
    UPDATES.take()
}

/// Cancels the call: from now on each update is answered with `false`.
pub fn cancel() {
    CANCELLED.set(true);
}

pub(crate) fn send(content: &[Content], details: Option<&str>) -> bool {
    let update = Update { content: content.to_vec(), details: details.map(str::to_owned) };
    UPDATES.with_borrow_mut(|updates| updates.push(update));
    !CANCELLED.get()
}
