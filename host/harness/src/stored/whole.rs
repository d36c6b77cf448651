//! Calls and results of a conversation that was cut off, or written by hand: every call gets its result right behind it.
//! Nothing in the file is changed for that.

use seam_loop::message::{AssistantMessage, RequestedCall, ToolResultMessage, now};
use seam_loop::{Content, Message, StopReason};

/// A conversation in which calls and results belong together.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) messages: Vec<Message>,
    /// The calls of the last message, if they have no results: what is said next comes behind theirs.
    pub(super) open: Vec<RequestedCall>,
    pub(super) notices: Vec<String>,
    /// What stands between calls and their results comes behind both.
    between: Vec<Message>,
}

/// Puts every result behind its call. Results without a call and second results are left out; a call without a result
/// gets one that says so, unless it is one of the last.
pub(super) fn whole(messages: Vec<Message>) -> Whole {
    let mut whole = Whole::default();
    for message in messages {
        whole.take(message);
    }
    if !whole.between.is_empty() {
        whole.close();
    }
    whole
}

impl Whole {
    fn take(&mut self, message: Message) {
        match &message {
            Message::ToolResult(result) => {
                let Some(place) = self.open.iter().position(|call| call.id == result.tool_call_id) else {
                    let (id, tool) = (&result.tool_call_id, &result.tool_name);
                    self.notices
                        .push(format!("result `{id}` of `{tool}` answers no open call: the model is not shown it"));
                    return;
                };
                self.open.remove(place);
                self.messages.push(message);
            }
            Message::Assistant(said) => {
                let calls = made(said);
                self.close();
                self.open = calls;
                self.messages.push(message);
            }
            Message::User(_) | Message::Custom(_) if self.open.is_empty() => {
                self.messages.append(&mut self.between);
                self.messages.push(message);
            }
            Message::User(_) | Message::Custom(_) => self.between.push(message),
        }
    }

    fn close(&mut self) {
        for call in self.open.drain(..) {
            let (id, tool) = (&call.id, &call.name);
            self.notices
                .push(format!("call `{id}` of `{tool}` has no result: the model is told that it was interrupted"));
            self.messages.push(interrupted(call));
        }
        self.messages.append(&mut self.between);
    }
}

/// The calls that a message has made: none, when it ended before it was complete.
fn made(said: &AssistantMessage) -> Vec<RequestedCall> {
    match said.stop_reason {
        StopReason::Error | StopReason::Aborted => Vec::new(),
        _ => said.tool_calls().cloned().collect(),
    }
}

/// The result of a call that has none.
pub(crate) fn interrupted(call: RequestedCall) -> Message {
    let text = "Interrupted, outcome unknown: the session ended before this call gave its result. It may have run, in whole \
                or in part. Look at what is there before you repeat it.";
    Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id,
        tool_name: call.name,
        content: vec![Content::text(text)],
        details: None,
        structured_content: None,
        usage: None,
        is_error: true,
        timestamp: now(),
    })
}
