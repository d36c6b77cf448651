//! Edits of the list of messages that a model is shown. What is stored never changes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use seam_loop::message::{RequestedCall, ToolResultMessage, now};
use seam_loop::{Content, Message};

use crate::compaction::is_failed;
use crate::failure::Failure;
use crate::moment::Moment;

/// Messages as the model is shown them.
pub type Shown = Vec<Arc<Message>>;

/// One change to a list of messages. Places are those of the list before all edits.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// These are not shown.
    Drop(Range<usize>),
    /// This one instead.
    Replace(usize, Arc<Message>),
    /// This one before the one at its place, or at the end.
    Insert(usize, Arc<Message>),
}

/// The messages of a moment after the edits of a plugin. It can show no message as that of another plugin.
pub(crate) fn apply(edits: &[Edit], at: &Moment, plugin: &str) -> Result<Shown, Failure> {
    let length = at.length();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut replaced = BTreeMap::new();
    let mut inserted: BTreeMap<usize, Vec<Arc<Message>>> = BTreeMap::new();
    for edit in edits {
        let fits = match edit {
            Edit::Drop(range) => {
                taken.push(range.clone());
                range.start <= range.end && range.end <= length
            }
            Edit::Replace(place, message) => {
                taken.push(*place..place.saturating_add(1));
                replaced.insert(*place, Arc::clone(message));
                *place < length
            }
            Edit::Insert(place, message) => {
                check_owner(message, None, plugin)?;
                inserted.entry(*place).or_default().push(Arc::clone(message));
                *place <= length
            }
        };
        if !fits {
            return Err(Failure::InvalidAnswer(format!("an edit lies outside the {length} messages there are")));
        }
    }
    taken.retain(|range| !range.is_empty());
    taken.sort_by_key(|range| range.start);
    if taken.iter().zip(taken.iter().skip(1)).any(|(one, next)| next.start < one.end) {
        return Err(Failure::InvalidAnswer("two edits overlap".to_owned()));
    }
    let mut shown = Vec::with_capacity(length);
    let mut taken = taken.into_iter().peekable();
    for (place, message) in at.slice(0..length).into_iter().enumerate() {
        shown.extend(inserted.remove(&place).unwrap_or_default());
        taken.next_if(|range| range.end <= place);
        match replaced.remove(&place) {
            Some(other) => {
                check_owner(&other, Some(&message), plugin)?;
                shown.push(other);
            }
            None if taken.peek().is_some_and(|range| range.contains(&place)) => {}
            None => shown.push(message),
        }
    }
    shown.extend(inserted.remove(&length).unwrap_or_default());
    Ok(shown)
}

/// A plugin's message is its own, or says what the one in its place says.
fn check_owner(message: &Message, before: Option<&Message>, plugin: &str) -> Result<(), Failure> {
    let Message::Custom(new) = message else { return Ok(()) };
    if let Some(Message::Custom(old)) = before
        && (&old.custom_type, &old.content, old.display, &old.details)
            == (&new.custom_type, &new.content, new.display, &new.details)
    {
        return Ok(());
    }
    let fault = match new.custom_type.split_once('/') {
        Some((owner, kind)) if owner == plugin && is_kind(kind) => return Ok(()),
        _ if owner(&new.custom_type) == plugin => "the kind of a message is not a name",
        _ => "it would show a message as that of another plugin",
    };
    Err(Failure::InvalidAnswer(fault.to_owned()))
}

/// Whether a plugin may call a kind of message so.
fn is_kind(kind: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !kind.is_empty() && kind.len() <= 64 && kind.bytes().all(allowed)
}

/// The plugin whose messages are of this kind.
pub(crate) fn owner(kind: &str) -> &str {
    kind.split('/').next().unwrap_or_default()
}

/// The messages with every call and its results together, as a provider wants them: a result whose call is not shown is
/// left out, a call whose result is not shown gets one that says so, and what stands between the two comes after both.
/// Answers that failed are not shown: their calls were not made.
pub(crate) fn paired(messages: Shown) -> Shown {
    let mut paired = Vec::with_capacity(messages.len());
    let mut open: Vec<RequestedCall> = Vec::new();
    let mut between = Vec::new();
    for message in messages.into_iter().filter(|message| !is_failed(message)) {
        match &*message {
            Message::ToolResult(result) => {
                let Some(place) = open.iter().position(|call| call.id == result.tool_call_id) else { continue };
                open.remove(place);
            }
            Message::Assistant(said) => {
                close(&mut open, &mut paired);
                paired.append(&mut between);
                open = said.tool_calls().cloned().collect();
            }
            Message::User(_) | Message::Custom(_) if !open.is_empty() => {
                between.push(message);
                continue;
            }
            Message::User(_) | Message::Custom(_) => paired.append(&mut between),
        }
        paired.push(message);
    }
    close(&mut open, &mut paired);
    paired.append(&mut between);
    paired
}

fn close(open: &mut Vec<RequestedCall>, paired: &mut Shown) {
    paired.extend(open.drain(..).map(|call| {
        Arc::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id,
            tool_name: call.name,
            content: vec![Content::text("The result of this call is no longer shown.")],
            details: None,
            structured_content: None,
            usage: None,
            is_error: false,
            timestamp: now(),
        }))
    }));
}

#[cfg(test)]
mod tests;
