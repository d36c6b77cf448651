//! What the file knows of calls, besides the conversation that it is read as.

use std::collections::HashSet;

use seam_session::{Entry, EntryKind, Session, SessionError, time};
use serde_json::Value;

use super::Sources;

/// The type of a block that is a call.
const CALL: &str = "toolCall";

/// The ids of the calls that a conversation does not show: those of other branches, and those that a compaction or an
/// edit has taken out of it. Only the messages that hold calls are parsed.
pub(crate) fn hidden_calls(session: &Session, sources: &Sources) -> Result<Vec<String>, SessionError> {
    let mut shown: HashSet<&str> = sources.ids.iter().map(|id| &**id).collect();
    for entry in session.entries() {
        if let EntryKind::ContextEdit { target } = entry.kind() {
            shown.remove(&**target);
        }
    }
    let mut hidden = Vec::new();
    let is_hidden = |entry: &Entry| is_said(entry) && !shown.contains(entry.id());
    session.each_message_of(is_hidden, CALL, |message| hidden.extend(ids(&message)))?;
    Ok(hidden)
}

/// When the last message of the model was stored, on the branch to the leaf. In milliseconds since 1970.
pub(crate) fn last_said(session: &Session) -> Option<i64> {
    let last = session.branch().filter(|entry| is_said(entry)).last()?;
    let entry = session.json(last.id()).ok()?;
    time::millis(entry.get("timestamp")?.as_str()?)
}

fn is_said(entry: &Entry) -> bool {
    matches!(entry.kind(), EntryKind::Message { role: Some(role), .. } if &**role == "assistant")
}

fn ids(message: &Value) -> impl Iterator<Item = String> {
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let calls = blocks.filter(|block| block.get("type").is_some_and(|kind| kind == CALL));
    calls.filter_map(|call| call.get("id")?.as_str().map(str::to_owned))
}
