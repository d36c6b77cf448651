//! How an answer is played: the order of its events, its delays, and what an abort leaves of it.

use std::sync::Arc;
use std::time::Duration;
use std::vec;

use futures_util::{StreamExt as _, stream};
use seam_loop::message::{RequestedCall, now};
use seam_loop::provider::{BlockKind, ResponseStream};
use seam_loop::{AssistantBlock, AssistantMessage, CancellationToken, ErrorKind, StopReason, StreamEvent, Usage};
use serde_json::json;
use tokio::{select, task, time};

use super::turn::{Answer, Block};

/// Whose name is on the message.
pub(super) struct Speaker {
    pub(super) provider: String,
    pub(super) model: String,
}

/// Plays `answer`.
pub(super) fn respond(answer: Arc<Answer>, speaker: Speaker, abort: &CancellationToken) -> ResponseStream {
    // A signal that never fires cannot be heard.
    let abort = if answer.ignore_abort { CancellationToken::new() } else { abort.clone() };
    let events = events(&answer, &speaker).into_iter();
    let playing = Playing { delay: answer.delay, answer, speaker, abort, events, streamed: Vec::new() };
    stream::unfold(playing, |mut playing| async { playing.next().await.map(|event| (event, playing)) }).boxed()
}

/// An answer under way.
struct Playing {
    answer: Arc<Answer>,
    speaker: Speaker,
    abort: CancellationToken,
    /// What is left of the answer's delay: all of it, then nothing.
    delay: Duration,
    events: vec::IntoIter<StreamEvent>,
    /// The content streamed so far.
    streamed: Vec<AssistantBlock>,
}

impl Playing {
    async fn next(&mut self) -> Option<StreamEvent> {
        let event = self.events.next()?;
        self.wait().await;
        pause(self.answer.chunk_delay).await;
        if self.abort.is_cancelled() {
            return Some(self.abandon());
        }
        self.note(&event);
        Some(event)
    }

    /// Waits for the delay, once, or until the abort.
    async fn wait(&mut self) {
        let delay = std::mem::take(&mut self.delay);
        if !delay.is_zero() {
            select! {
                () = time::sleep(delay) => {}
                () = self.abort.cancelled() => {}
            }
        }
    }

    /// Ends the stream here, with what has come.
    fn abandon(&mut self) -> StreamEvent {
        self.events = Vec::new().into_iter();
        StreamEvent::End(Box::new(AssistantMessage {
            content: std::mem::take(&mut self.streamed),
            provider: self.speaker.provider.clone(),
            model: self.speaker.model.clone(),
            usage: Usage::default(),
            thinking_level: None,
            stop_reason: StopReason::Aborted,
            error_message: Some("Request was aborted".to_owned()),
            error_kind: ErrorKind::Other,
            timestamp: now(),
        }))
    }

    fn note(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::BlockStart { kind, .. } => self.streamed.push(empty(kind)),
            StreamEvent::BlockDelta { index, delta } => {
                if let (Some(streamed), Some(block)) = (self.streamed.last_mut(), self.answer.blocks.get(*index)) {
                    extend(streamed, delta, &block.whole);
                }
            }
            StreamEvent::Start | StreamEvent::BlockEnd { .. } | StreamEvent::End(_) => {}
        }
    }
}

/// A block that has only begun.
fn empty(kind: &BlockKind) -> AssistantBlock {
    match kind {
        BlockKind::Text => AssistantBlock::Text { text: String::new() },
        BlockKind::Thinking => AssistantBlock::Thinking { thinking: String::new(), signature: None, redacted: false },
        BlockKind::ToolCall { id, name } => AssistantBlock::ToolCall(RequestedCall {
            id: id.clone(),
            name: name.clone(),
            arguments: json!({}),
            arguments_error: None,
            signature: None,
        }),
    }
}

/// Adds a delta to a block. A tool call's one delta makes it whole.
fn extend(streamed: &mut AssistantBlock, delta: &str, whole: &AssistantBlock) {
    match streamed {
        AssistantBlock::Text { text } => text.push_str(delta),
        AssistantBlock::Thinking { thinking, .. } => thinking.push_str(delta),
        AssistantBlock::ToolCall(_) => *streamed = whole.clone(),
    }
}

/// Sleeps. Even when there is no time to wait, everything else that can run does so first.
async fn pause(duration: Duration) {
    if duration.is_zero() {
        task::yield_now().await;
    } else {
        time::sleep(duration).await;
    }
}

/// Every event of an answer that nobody aborts.
fn events(answer: &Answer, speaker: &Speaker) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    if answer.streamed {
        events.push(StreamEvent::Start);
        events.extend(answer.blocks.iter().enumerate().flat_map(|(index, block)| block_events(index, block)));
    }
    events.push(StreamEvent::End(Box::new(whole_message(answer, speaker))));
    events
}

fn block_events(index: usize, block: &Block) -> impl Iterator<Item = StreamEvent> {
    let start = StreamEvent::BlockStart { index, kind: kind(&block.whole) };
    let deltas = block.deltas.iter().map(move |delta| StreamEvent::BlockDelta { index, delta: delta.clone() });
    let end = StreamEvent::BlockEnd { index, block: block.whole.clone() };
    [start].into_iter().chain(deltas).chain([end])
}

fn kind(block: &AssistantBlock) -> BlockKind {
    match block {
        AssistantBlock::Text { .. } => BlockKind::Text,
        AssistantBlock::Thinking { .. } => BlockKind::Thinking,
        AssistantBlock::ToolCall(call) => BlockKind::ToolCall { id: call.id.clone(), name: call.name.clone() },
    }
}

fn whole_message(answer: &Answer, speaker: &Speaker) -> AssistantMessage {
    AssistantMessage {
        content: answer.blocks.iter().map(|block| block.whole.clone()).collect(),
        provider: speaker.provider.clone(),
        model: speaker.model.clone(),
        usage: answer.usage,
        thinking_level: None,
        stop_reason: answer.stop_reason,
        error_message: answer.error_message.clone(),
        error_kind: answer.error_kind,
        timestamp: now(),
    }
}
