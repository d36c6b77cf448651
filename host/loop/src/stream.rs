//! One response: reads a provider's stream to its end, tells it as events, gives the final message.

use std::time::Duration;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::event::{AgentEvent, EventSink, Role, UpdateKind};
use crate::message::{AssistantBlock, AssistantMessage, RequestedCall, StopReason, Usage, now};
use crate::provider::{BlockKind, Provider, Request, ResponseStream, StreamEvent};

/// How long a provider may take to end its stream after an abort. Then the loop ends it.
const ABORT_GRACE: Duration = Duration::from_secs(2);

/// Sends the request and reads the response. Always gives a message, and one start and one end event's worth of it:
/// the caller emits the end when it has stored the message.
pub(crate) async fn respond(
    provider: &dyn Provider,
    request: Request<'_>,
    abort: &CancellationToken,
    events: &dyn EventSink,
) -> AssistantMessage {
    let model = request.model.to_owned();
    let mut partial = Partial { provider: provider.name().to_owned(), model, blocks: Vec::new(), started: false };
    let message = match provider.stream(request, abort).await {
        Ok(mut stream) => read(&mut stream, &mut partial, abort, events).await,
        Err(error) => partial.end(abort, error.to_string()),
    };
    partial.start(events);
    message
}

async fn read(
    stream: &mut ResponseStream,
    partial: &mut Partial,
    abort: &CancellationToken,
    events: &dyn EventSink,
) -> AssistantMessage {
    let given_up = async {
        abort.cancelled().await;
        tokio::time::sleep(ABORT_GRACE).await;
    };
    tokio::pin!(given_up);
    loop {
        let event = tokio::select! {
            biased;
            event = stream.next() => event,
            () = &mut given_up => None,
        };
        match event {
            Some(StreamEvent::End(message)) => return *message,
            Some(event) => partial.take(event, events),
            None => return partial.end(abort, "the response ended without its final event".to_owned()),
        }
    }
}

/// A response as far as it has arrived.
struct Partial {
    provider: String,
    model: String,
    blocks: Vec<AssistantBlock>,
    started: bool,
}

impl Partial {
    fn start(&mut self, events: &dyn EventSink) {
        if !self.started {
            self.started = true;
            events.emit(AgentEvent::MessageStart { role: Role::Assistant, tool_call_id: None });
        }
    }

    fn take(&mut self, event: StreamEvent, events: &dyn EventSink) {
        self.start(events);
        let (kind, content_index, delta) = match event {
            StreamEvent::Start | StreamEvent::End(_) => return,
            StreamEvent::BlockStart { index, kind } => {
                let block = empty_block(kind);
                let update = update_kinds(&block).0;
                self.blocks.push(block);
                (update, index, None)
            }
            StreamEvent::BlockDelta { index, delta } => {
                let Some(block) = self.blocks.get_mut(index) else { return };
                if let AssistantBlock::Text { text } | AssistantBlock::Thinking { thinking: text } = block {
                    text.push_str(&delta);
                }
                (update_kinds(block).1, index, Some(delta))
            }
            StreamEvent::BlockEnd { index, block } => {
                let update = update_kinds(&block).2;
                if let Some(place) = self.blocks.get_mut(index) {
                    *place = block;
                }
                (update, index, None)
            }
        };
        events.emit(AgentEvent::MessageUpdate { kind, content_index, delta });
    }

    /// The message of a response that broke off.
    fn end(&mut self, abort: &CancellationToken, error: String) -> AssistantMessage {
        let (stop_reason, error) = match abort.is_cancelled() {
            true => (StopReason::Aborted, "Request was aborted".to_owned()),
            false => (StopReason::Error, error),
        };
        AssistantMessage {
            content: std::mem::take(&mut self.blocks),
            provider: self.provider.clone(),
            model: self.model.clone(),
            usage: Usage::default(),
            stop_reason,
            error_message: Some(error),
            timestamp: now(),
        }
    }
}

fn empty_block(kind: BlockKind) -> AssistantBlock {
    match kind {
        BlockKind::Text => AssistantBlock::Text { text: String::new() },
        BlockKind::Thinking => AssistantBlock::Thinking { thinking: String::new() },
        BlockKind::ToolCall { id, name } => AssistantBlock::ToolCall(RequestedCall {
            id,
            name,
            arguments: serde_json::Value::Object(serde_json::Map::new()),
            arguments_error: None,
        }),
    }
}

/// Start, delta and end of such a block.
fn update_kinds(block: &AssistantBlock) -> (UpdateKind, UpdateKind, UpdateKind) {
    match block {
        AssistantBlock::Text { .. } => (UpdateKind::TextStart, UpdateKind::TextDelta, UpdateKind::TextEnd),
        AssistantBlock::Thinking { .. } => {
            (UpdateKind::ThinkingStart, UpdateKind::ThinkingDelta, UpdateKind::ThinkingEnd)
        }
        AssistantBlock::ToolCall(_) => (UpdateKind::ToolcallStart, UpdateKind::ToolcallDelta, UpdateKind::ToolcallEnd),
    }
}
