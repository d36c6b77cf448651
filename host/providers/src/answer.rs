//! An answer as it arrives, whatever the protocol: pieces go in by the name that the protocol has for their block, events
//! and the whole message come out.

use std::collections::VecDeque;

use seam_loop::message::{RequestedCall, now};
use seam_loop::provider::BlockKind;
use seam_loop::{AssistantBlock, AssistantMessage, ErrorKind, Model, ProviderError, StopReason, StreamEvent, Usage};

use crate::fault::Fault;
use crate::json::arguments;

/// The most that an answer may hold, in bytes. No model says as much.
const LARGEST: usize = 64 << 20;
/// What a block counts for beside what is in it, in bytes.
const BLOCK: usize = 256;
/// How many blocks an answer may have.
pub(crate) const MOST_BLOCKS: usize = 1024;
/// How many of them may be calls.
pub(crate) const MOST_CALLS: usize = 128;

/// What kind of block begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text,
    Thinking,
    /// A tool call: its id, which may be empty, and the tool's name.
    Call {
        id: String,
        name: String,
    },
}

/// An answer under way.
#[derive(Debug)]
pub(crate) struct Answer {
    model: Model,
    blocks: Vec<Block>,
    /// The places of the blocks that are not complete, in their order.
    open: Vec<usize>,
    events: VecDeque<StreamEvent>,
    /// How many bytes there are in all blocks.
    size: usize,
    /// How many blocks are calls.
    calls: usize,
    /// It is larger than any may be. What comes then is not kept.
    is_too_large: bool,
    /// What it costs, as far as the provider has said.
    pub(crate) usage: Usage,
    /// Why it ended, once the provider has said so.
    pub(crate) stop: Option<StopReason>,
}

#[derive(Debug)]
struct Block {
    /// What the protocol calls it.
    key: String,
    part: Part,
    /// Text, reasoning, or the arguments as JSON text.
    text: String,
    signature: Option<String>,
    redacted: bool,
}

/// A block of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(usize);

impl Answer {
    pub(crate) fn new(model: Model) -> Self {
        let events = VecDeque::from([StreamEvent::Start]);
        Self {
            model,
            blocks: Vec::new(),
            open: Vec::new(),
            events,
            size: 0,
            calls: 0,
            is_too_large: false,
            usage: Usage::default(),
            stop: None,
        }
    }

    /// The open block of this name: of several the newest.
    pub(crate) fn find(&self, key: &str) -> Option<Place> {
        let is_named = |index: &&usize| self.blocks.get(**index).is_some_and(|block| block.key == key);
        self.open.iter().rev().find(is_named).map(|index| Place(*index))
    }

    /// The newest block, if it is open.
    pub(crate) fn last(&self) -> Option<(Place, &Part)> {
        let index = self.open.last().copied().filter(|index| index + 1 == self.blocks.len())?;
        Some((Place(index), &self.blocks.get(index)?.part))
    }

    /// Begins a block. One too many is no block: [`Answer::check`] tells of it.
    pub(crate) fn open(&mut self, key: impl Into<String>, part: Part) -> Place {
        let (index, key) = (self.blocks.len(), key.into());
        let named = if let Part::Call { id, name } = &part { id.len() + name.len() } else { 0 };
        self.calls += usize::from(matches!(part, Part::Call { .. }));
        self.grow(BLOCK + key.len() + named);
        if self.is_too_large || index >= MOST_BLOCKS || self.calls > MOST_CALLS {
            self.is_too_large = true;
            return Place(usize::MAX);
        }
        let kind = match &part {
            Part::Text => BlockKind::Text,
            Part::Thinking => BlockKind::Thinking,
            Part::Call { id, name } => BlockKind::ToolCall { id: id.clone(), name: name.clone() },
        };
        self.events.push_back(StreamEvent::BlockStart { index, kind });
        let text = String::new();
        self.blocks.push(Block { key, part, text, signature: None, redacted: false });
        self.open.push(index);
        Place(index)
    }

    /// The block this text goes to, for protocols that send pieces without saying where a block begins: the newest if it is
    /// of this kind, or else a new one. What was open before it is complete then, but for calls.
    pub(crate) fn continued(&mut self, part: &Part) -> Place {
        match self.last() {
            Some((place, last)) if last == part => place,
            _ => {
                self.close_all(|part| !matches!(part, Part::Call { .. }));
                self.open(String::new(), part.clone())
            }
        }
    }

    /// Adds to a block. An empty piece is none.
    ///
    /// # Errors
    /// When the answer gets longer than any may be.
    pub(crate) fn push(&mut self, Place(index): Place, piece: &str) -> Result<(), Fault> {
        if piece.is_empty() {
            return Ok(());
        }
        self.grow(piece.len());
        self.check()?;
        if let Some(block) = self.blocks.get_mut(index) {
            block.text.push_str(piece);
            self.events.push_back(StreamEvent::BlockDelta { index, delta: piece.to_owned() });
        }
        Ok(())
    }

    fn grow(&mut self, bytes: usize) {
        self.size = self.size.saturating_add(bytes);
        self.is_too_large |= self.size > LARGEST;
    }

    /// Whether it is no larger than any may be.
    ///
    /// # Errors
    /// When it is. It would be so again.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        if !self.is_too_large {
            return Ok(());
        }
        let mib = LARGEST >> 20;
        Err(Fault::request(format!(
            "an answer of more than {mib} MiB, {MOST_BLOCKS} blocks or {MOST_CALLS} tool calls, which is none"
        )))
    }

    /// Adds the rest of a block of which the whole is known: what of `whole` is not there yet.
    ///
    /// # Errors
    /// When the answer gets longer than any may be, or a text is other than the pieces that came of it.
    pub(crate) fn complete(&mut self, place: Place, whole: &str) -> Result<(), Fault> {
        let block = self.blocks.get(place.0);
        let there = block.map_or("", |block| &block.text);
        let rest = whole.strip_prefix(there);
        if rest.is_none() && !whole.is_empty() && block.is_some_and(|block| block.part == Part::Text) {
            return Err(Fault::stream("a text is another one than the pieces that came of it"));
        }
        let rest = rest.unwrap_or_default().to_owned();
        self.push(place, &rest)
    }

    /// Adds to the signature of reasoning, or of a call.
    pub(crate) fn sign(&mut self, Place(index): Place, piece: &str) {
        self.grow(piece.len());
        let is_kept = !piece.is_empty() && !self.is_too_large;
        if let Some(block) = self.blocks.get_mut(index).filter(|_| is_kept) {
            block.signature.get_or_insert_default().push_str(piece);
        }
    }

    /// Reasoning of which only the signature is shown.
    pub(crate) fn redact(&mut self, Place(index): Place) {
        self.blocks.get_mut(index).iter_mut().for_each(|block| block.redacted = true);
    }

    /// A block is complete.
    pub(crate) fn close(&mut self, Place(index): Place) {
        let Some(at) = self.open.iter().rposition(|open| *open == index) else { return };
        self.open.remove(at);
        if let Some(block) = self.blocks.get(index).map(Block::whole) {
            self.events.push_back(StreamEvent::BlockEnd { index, block });
        }
    }

    /// All open blocks of these kinds are complete.
    pub(crate) fn close_all(&mut self, which: impl Fn(&Part) -> bool) {
        for index in self.open.clone() {
            if self.blocks.get(index).is_some_and(|block| which(&block.part)) {
                self.close(Place(index));
            }
        }
    }

    /// Whether a tool is called.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// What is to be told next.
    pub(crate) fn next_event(&mut self) -> Option<StreamEvent> {
        self.events.pop_front()
    }

    /// The answer is complete: tells the end of what is open, and of all of it.
    ///
    /// # Errors
    /// When the provider has not said why it ended: what is there may be a part of it.
    pub(crate) fn finish(&mut self, cost: impl FnOnce(&Usage) -> f64) -> Result<(), Fault> {
        self.check()?;
        let stop = self.stop.ok_or_else(Fault::truncated)?;
        self.close_all(|_| true);
        let stop = match stop {
            StopReason::Stop if self.has_calls() => StopReason::ToolUse,
            StopReason::ToolUse if !self.has_calls() => StopReason::Stop,
            stop => stop,
        };
        self.usage.cost = cost(&self.usage);
        let message = self.message(stop, None, ErrorKind::Other);
        self.events.push_back(StreamEvent::End(Box::new(message)));
        Ok(())
    }

    /// The answer broke off: what is there is told, and that it failed.
    pub(crate) fn fail(&mut self, error: ProviderError) {
        let message = self.message(StopReason::Error, Some(error.text), error.kind);
        self.events = VecDeque::from([StreamEvent::End(Box::new(message))]);
    }

    /// The user does not want it any more.
    pub(crate) fn abort(&mut self) {
        let message = self.message(StopReason::Aborted, Some("Request was aborted".to_owned()), ErrorKind::Other);
        self.events = VecDeque::from([StreamEvent::End(Box::new(message))]);
    }

    fn message(
        &self,
        stop_reason: StopReason,
        error_message: Option<String>,
        error_kind: ErrorKind,
    ) -> AssistantMessage {
        AssistantMessage {
            content: self.blocks.iter().map(Block::whole).collect(),
            provider: self.model.provider.clone(),
            model: self.model.id.clone(),
            usage: self.usage,
            thinking_level: None,
            stop_reason,
            error_message,
            error_kind,
            timestamp: now(),
        }
    }
}

impl Block {
    fn whole(&self) -> AssistantBlock {
        let (text, signature) = (self.text.clone(), self.signature.clone());
        match &self.part {
            Part::Text => AssistantBlock::Text { text },
            Part::Thinking => AssistantBlock::Thinking { thinking: text, signature, redacted: self.redacted },
            Part::Call { id, name } => {
                let (id, name) = (id.clone(), name.clone());
                let (arguments, arguments_error) = arguments(&text);
                AssistantBlock::ToolCall(RequestedCall { id, name, arguments, arguments_error, signature })
            }
        }
    }
}

#[cfg(test)]
mod tests;
