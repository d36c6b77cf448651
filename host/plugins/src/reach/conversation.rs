//! `conversation`: the messages at the point of the running call. There are none outside a call.

use std::sync::Arc;

use seam_harness::Moment;
use seam_loop::{AssistantBlock, Message};
use wasmtime::Result;

use crate::bindings::seam::harness::conversation::{Host, Kind, OutlineEntry};
use crate::bindings::seam::harness::types as wit;
use crate::convert::content::size;
use crate::convert::count;
use crate::convert::message::message;
use crate::state::{Misuse, State};

/// The most messages of one `slice`.
const SLICE: u32 = 256;
/// The most entries of one `outline`.
const OUTLINE: u32 = 4096;

impl Host for State {
    fn length(&mut self) -> Result<u32> {
        Ok(count(moment(self)?.length()))
    }

    fn get(&mut self, index: u32) -> Result<Option<wit::Message>> {
        Ok(moment(self)?.get(index as usize).map(|found| message(&found)))
    }

    fn slice(&mut self, start: u32, end: u32) -> Result<Vec<wit::Message>> {
        Ok(part(self, start, end, SLICE)?.iter().map(|found| message(found)).collect())
    }

    fn outline(&mut self, start: u32, end: u32) -> Result<Vec<OutlineEntry>> {
        Ok(part(self, start, end, OUTLINE)?.iter().map(|found| entry(found)).collect())
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
        AssistantBlock::ToolCall(call) => call.arguments.to_string().len(),
    }
}
