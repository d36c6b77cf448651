//! What a branch is reduced to: the messages that the model sees, and the settings.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::edits::Edits;
use crate::entry::{Entry, EntryKind};
use crate::window::Window;
use crate::{Model, Reduction, Session, SessionError, time};

#[cfg(test)]
mod tests;

/// A branch as the model sees it. As JSON it is what the reference builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The messages, field by field as they stand in the file. Those of extensions have the role `custom`, summaries the
    /// roles `compactionSummary` and `branchSummary`.
    pub messages: Vec<Value>,
    /// The id of the entry that each message is of.
    #[serde(skip)]
    pub sources: Vec<Arc<str>>,
    /// The thinking level: `off` if none was chosen.
    pub thinking_level: String,
    /// The model that was chosen or that answered last.
    pub model: Option<Model>,
    /// The tools that were chosen. Nothing if that was never recorded.
    #[serde(rename = "activeToolNames")]
    pub active_tools: Option<Vec<String>>,
}

impl Context {
    pub(crate) fn of(session: &Session, reduction: &Reduction) -> Result<Self, SessionError> {
        let (mut messages, mut sources) = (Vec::new(), Vec::new());
        each(session, reduction, |message, source| {
            messages.push(message);
            sources.push(Arc::clone(source));
        })?;
        Ok(Self {
            messages,
            sources,
            thinking_level: reduction.thinking_level().to_owned(),
            model: reduction.model().cloned(),
            active_tools: reduction.active_tools().map(<[String]>::to_vec),
        })
    }
}

/// Gives each message, and the id of its entry. One is held at a time.
pub(crate) fn each(
    session: &Session,
    reduction: &Reduction,
    mut take: impl FnMut(Value, &Arc<str>),
) -> Result<(), SessionError> {
    let (edits, mut window) = (Edits::of(session, reduction), Window::new(&session.file));
    for entry in reduction.chosen().iter().filter_map(|index| session.index.get(*index)) {
        if adds_messages(&entry.kind) {
            let added = added(session, &mut window, entry)?;
            edits.apply(entry, added)?.into_iter().for_each(|message| take(message, &entry.id));
        }
    }
    Ok(())
}

fn adds_messages(kind: &EntryKind) -> bool {
    matches!(
        kind,
        EntryKind::Message { .. }
            | EntryKind::CustomMessage { .. }
            | EntryKind::Compaction { .. }
            | EntryKind::BranchSummary
    )
}

/// The messages that an entry adds.
fn added(session: &Session, window: &mut Window<'_>, entry: &Entry) -> Result<Vec<Value>, SessionError> {
    let newer = session.index.is_newer();
    if let EntryKind::Message { .. } = &entry.kind {
        let mut message = session.message(entry, window)?;
        if newer {
            with_content(&mut message);
        }
        return Ok(vec![message]);
    }
    let mut fields = session.fields(entry)?;
    Ok(match &entry.kind {
        EntryKind::CustomMessage { .. } => {
            if newer && fields.get("content").is_none_or(Value::is_null) {
                fields.insert("content".to_owned(), Value::Array(Vec::new()));
            }
            vec![made("custom", &["customType", "content", "display", "details"], fields)]
        }
        EntryKind::Compaction { .. } => {
            let system = fields.shift_remove("systemMessage").filter(|system| newer && !system.is_null());
            let summary = made("compactionSummary", &["summary", "tokensBefore"], fields);
            system.into_iter().chain([summary]).collect()
        }
        EntryKind::BranchSummary if fields.get("summary").is_none_or(is_empty) => Vec::new(),
        _ => vec![made("branchSummary", &["summary", "fromId"], fields)],
    })
}

/// A message of an entry that is none itself: the role, some of its fields, and its time as a number.
fn made(role: &str, kept: &[&str], mut fields: Map<String, Value>) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), role.into());
    for name in kept {
        if let Some(value) = fields.shift_remove(*name) {
            message.insert((*name).to_owned(), value);
        }
    }
    let timestamp = fields.get("timestamp").and_then(Value::as_str).and_then(time::millis);
    message.insert("timestamp".to_owned(), timestamp.into());
    Value::Object(message)
}

fn is_empty(summary: &Value) -> bool {
    summary.is_null() || summary == ""
}

/// In the 1.0.3 dialect a message without content has empty content.
fn with_content(message: &mut Value) {
    let Some(message) = message.as_object_mut() else { return };
    if !message.get("content").is_none_or(Value::is_null) {
        return;
    }
    let empty = match message.get("role").and_then(Value::as_str) {
        Some("system") => Value::String(String::new()),
        Some("user" | "assistant" | "toolResult") => Value::Array(Vec::new()),
        _ => return,
    };
    message.insert("content".to_owned(), empty);
}
