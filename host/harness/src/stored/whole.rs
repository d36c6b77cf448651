//! Calls and results of a conversation that was cut off, or written by hand: every call gets its result right behind it.
//! Nothing in the file is changed for that.

use seam_loop::message::{AssistantMessage, RequestedCall, ToolResultMessage, now};
use seam_loop::{Content, Message, StopReason};

/// A conversation in which calls and results belong together.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) messages: Vec<Message>,
    /// Where each of them was in the list before; nothing for one that was not in it.
    pub(super) places: Vec<Option<usize>>,
    /// The calls of the last message, if they have no results: what is said next comes behind theirs.
    pub(super) open: Vec<RequestedCall>,
    pub(super) notices: Vec<String>,
    /// What stands between calls and their results comes behind both.
    between: Vec<(Message, usize)>,
}

/// Puts every result behind its call. Results without a call and second results are left out; a call without a result
/// gets one that says so, unless it is one of the last.
pub(super) fn whole(messages: Vec<Message>) -> Whole {
    let mut whole = Whole::default();
    for (place, message) in messages.into_iter().enumerate() {
        whole.take(message, place);
    }
    if !whole.between.is_empty() {
        whole.close();
    }
    whole
}

impl Whole {
    fn take(&mut self, message: Message, place: usize) {
        match &message {
            Message::ToolResult(result) => {
                let Some(answered) = self.open.iter().position(|call| call.id == result.tool_call_id) else {
                    let (id, tool) = (&result.tool_call_id, &result.tool_name);
                    self.notices
                        .push(format!("result `{id}` of `{tool}` answers no open call: the model is not shown it"));
                    return;
                };
                self.open.remove(answered);
                self.push(message, Some(place));
            }
            Message::Assistant(said) => {
                let calls = made(said);
                self.close();
                self.open = calls;
                self.push(message, Some(place));
            }
            Message::User(_) | Message::Custom(_) if self.open.is_empty() => {
                self.append_between();
                self.push(message, Some(place));
            }
            Message::User(_) | Message::Custom(_) => self.between.push((message, place)),
        }
    }

    fn push(&mut self, message: Message, place: Option<usize>) {
        self.messages.push(message);
        self.places.push(place);
    }

    fn append_between(&mut self) {
        for (message, place) in std::mem::take(&mut self.between) {
            self.push(message, Some(place));
        }
    }

    fn close(&mut self) {
        for call in std::mem::take(&mut self.open) {
            let (id, tool) = (&call.id, &call.name);
            self.notices
                .push(format!("call `{id}` of `{tool}` has no result: the model is told that it was interrupted"));
            self.push(interrupted(&call, Interrupted::Unknown), None);
        }
        self.append_between();
    }
}

/// The calls that a message has made: none, when it ended before it was complete.
pub(crate) fn made(said: &AssistantMessage) -> Vec<RequestedCall> {
    match said.stop_reason {
        StopReason::Error | StopReason::Aborted => Vec::new(),
        _ => said.tool_calls().cloned().collect(),
    }
}

/// What is known of a call that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupted {
    /// Nothing.
    Unknown,
    /// It did not begin.
    NotRun,
}

impl Interrupted {
    /// For the model.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Unknown => {
                "Interrupted, outcome unknown: the session ended before this call gave its result. It may have run, in \
                 whole or in part. Look at what is there before you repeat it."
            }
            Self::NotRun => {
                "Interrupted before it was run: the session ended first, and its journal does not say that this call \
                 began. Make it again if it is still needed."
            }
        }
    }
}

/// The result of a call that has none.
pub(crate) fn interrupted(call: &RequestedCall, known: Interrupted) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![Content::text(known.text())],
        details: None,
        structured_content: None,
        usage: None,
        is_error: true,
        timestamp: now(),
    })
}
