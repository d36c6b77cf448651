//! `context_edit` of the 1.0.3 dialect: an entry that changes what another one adds to the context.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::entry::{Entry, EntryKind};
use crate::{Reduction, Session, SessionError};

/// The last edit of each entry, among the entries of a context.
pub(crate) struct Edits<'a> {
    session: &'a Session,
    by_target: HashMap<&'a str, &'a Entry>,
}

impl<'a> Edits<'a> {
    pub(crate) fn of(session: &'a Session, reduction: &Reduction) -> Self {
        let entries = reduction.chosen().iter().filter_map(|index| session.index.get(*index));
        let edits = entries.filter_map(|entry| match &entry.kind {
            EntryKind::ContextEdit { target } => Some((&**target, entry)),
            _ => None,
        });
        Self { session, by_target: edits.collect() }
    }

    /// What is left of an entry's messages.
    pub(crate) fn apply(&self, entry: &Entry, mut messages: Vec<Value>) -> Result<Vec<Value>, SessionError> {
        let Some(edit) = self.by_target.get(entry.id()) else { return Ok(messages) };
        let replacement = self.session.fields(edit)?.shift_remove("replacement").unwrap_or_default();
        if replacement.is_null() {
            return Ok(Vec::new());
        }
        let content = replacement.get("content");
        messages.iter_mut().for_each(|message| replace(message, content));
        Ok(messages)
    }
}

/// Puts other content into a message. Not every role can be edited, and some have their content in blocks only.
fn replace(message: &mut Value, content: Option<&Value>) {
    let Some(message) = message.as_object_mut() else { return };
    let blocks = match message.get("role").and_then(Value::as_str) {
        Some("user" | "custom") => false,
        Some("assistant" | "toolResult") => true,
        _ => return,
    };
    match content {
        Some(Value::String(text)) if blocks => {
            message.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
        }
        Some(content) => drop(message.insert("content".to_owned(), content.clone())),
        None => drop(message.shift_remove("content")),
    }
}
