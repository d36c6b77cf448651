//! `conversation`: the messages at the point of the running call. There are none outside a call.

use std::io;
use std::sync::Arc;

use seam_harness::Moment;
use seam_loop::{AssistantBlock, Message};
use serde::Serialize;
use wasmtime::Result;

use crate::bindings::seam::harness::conversation::{Host, Kind, OutlineEntry};
use crate::bindings::seam::harness::types as wit;
use crate::convert::content::size;
use crate::convert::count;
use crate::convert::message::message;
use crate::reach::NONE;
use crate::state::{Misuse, State};

/// The most messages of one `slice`.
const SLICE: u32 = 256;
/// The most bytes of one `slice` of several messages.
const SLICE_BYTES: usize = 4 << 20;
/// The most entries of one `outline`.
const OUTLINE: u32 = 4096;

impl Host for State {
    fn length(&mut self) -> Result<u32> {
        self.answered("conversation.length", &NONE, |state| Ok(count(moment(state)?.length())))
    }

    fn get(&mut self, index: u32) -> Result<Option<wit::Message>> {
        self.answered("conversation.get", &[index], |state| {
            Ok(moment(state)?.get(index as usize).map(|found| message(&found)))
        })
    }

    fn slice(&mut self, start: u32, end: u32) -> Result<Vec<wit::Message>> {
        self.answered("conversation.slice", &[start, end], |state| Ok(first(&part(state, start, end, SLICE)?)))
    }

    fn outline(&mut self, start: u32, end: u32) -> Result<Vec<OutlineEntry>> {
        self.answered("conversation.outline", &[start, end], |state| {
            Ok(part(state, start, end, OUTLINE)?.iter().map(|found| entry(found)).collect())
        })
    }
}

fn moment(state: &State) -> Result<&Moment> {
    match &state.view.moment {
        Some(moment) => Ok(moment),
        None => Err(Misuse("it read `conversation` outside a call").into()),
    }
}

fn part(state: &State, start: u32, end: u32, most: u32) -> Result<Vec<Arc<Message>>> {
    let end = end.min(start.saturating_add(most));
    Ok(moment(state)?.slice(start as usize..end as usize))
}

/// The first of these messages: at least one, and no more than are bounded together.
fn first(part: &[Arc<Message>]) -> Vec<wit::Message> {
    let mut room = SLICE_BYTES;
    let mut taken = Vec::with_capacity(part.len());
    for found in part {
        let bytes = whole(found);
        if bytes > room && !taken.is_empty() {
            break;
        }
        room = room.saturating_sub(bytes);
        taken.push(message(found));
    }
    taken
}

/// How long a message is in bytes, with what goes along with its content.
fn whole(message: &Message) -> usize {
    let along = match message {
        Message::ToolResult(result) => {
            result.details.as_ref().map_or(0, json) + result.structured_content.as_ref().map_or(0, json)
        }
        Message::Custom(custom) => custom.details.as_ref().map_or(0, json),
        Message::User(_) | Message::Assistant(_) => 0,
    };
    entry(message).bytes as usize + along
}

fn entry(message: &Message) -> OutlineEntry {
    let (kind, name, bytes) = match message {
        Message::User(user) => (Kind::User, "", size(&user.content)),
        Message::Assistant(said) => (Kind::Assistant, "", said.content.iter().map(block).sum()),
        Message::ToolResult(result) => (Kind::Tool, &*result.tool_name, size(&result.content)),
        Message::Custom(custom) => (Kind::Custom, &*custom.custom_type, size(&custom.content)),
    };
    OutlineEntry { kind, name: name.to_owned(), bytes: count(bytes) }
}

fn block(block: &AssistantBlock) -> usize {
    match block {
        AssistantBlock::Text { text } => text.len(),
        AssistantBlock::Thinking { thinking, .. } => thinking.len(),
        AssistantBlock::ToolCall(call) => json(&call.arguments),
    }
}

/// How long a value is as JSON text.
fn json(value: &impl Serialize) -> usize {
    let mut length = Length(0);
    let _counts_only = serde_json::to_writer(&mut length, value);
    length.0
}

/// Counts what is written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_ends_before_it_is_too_long_but_has_a_message() {
        let text = |mib: usize| Arc::new(Message::user("x".repeat(mib << 20)));
        for (sizes, taken) in [(vec![], 0), (vec![9], 1), (vec![9, 1], 1), (vec![1, 9, 1], 1), (vec![1, 3, 1], 2)] {
            let part: Vec<_> = sizes.iter().copied().map(text).collect();
            assert_eq!(first(&part).len(), taken, "{sizes:?}");
        }
    }

    #[test]
    fn the_length_of_json_is_that_of_its_text() {
        let value = serde_json::json!({ "a": ["ä\n", 1.5, null], "b": {} });
        assert_eq!(json(&value), value.to_string().len());
    }
}
