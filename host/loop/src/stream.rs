//! One response: reads a provider's stream to its end, tells it as events, gives the final message.

use std::time::Duration;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::event::{AgentEvent, EventSink, Role, UpdateKind};
use crate::message::{AssistantBlock, AssistantMessage, RequestedCall, StopReason, Usage, now};
use crate::provider::{BlockKind, ErrorKind, Model, Provider, ProviderError, Request, ResponseStream, StreamEvent};

/// How long a provider may take to end its stream after an abort. Then the loop ends it.
const ABORT_GRACE: Duration = Duration::from_secs(2);
/// What an aborted request says.
pub(crate) const ABORTED: &str = "Request was aborted";

/// Sends the request and reads the response. Tells its start and its pieces; its end is told when it is stored.
///
/// # Errors
/// When no request could be made. Nothing was told then.
pub(crate) async fn respond(
    provider: &dyn Provider,
    request: Request<'_>,
    abort: &CancellationToken,
    events: &dyn EventSink,
) -> Result<AssistantMessage, ProviderError> {
    let level = request.thinking_level;
    let mut partial = Partial { model: request.model.clone(), blocks: Vec::new(), started: false };
    let mut stream = provider.stream(request, abort).await?;
    let mut message = read(&mut stream, &mut partial, abort, events).await;
    message.thinking_level = Some(level);
    partial.start(events, message.content.len());
    Ok(message)
}

/// A message that holds no more than why there is none.
pub(crate) fn failure(model: &Model, aborted: bool, error: ProviderError) -> AssistantMessage {
    AssistantMessage {
        content: vec![AssistantBlock::Text { text: String::new() }],
        provider: model.provider.clone(),
        model: model.id.clone(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: if aborted { StopReason::Aborted } else { StopReason::Error },
        error_message: Some(error.text),
        error_kind: if aborted { ErrorKind::Other } else { error.kind },
        timestamp: now(),
    }
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
            None => return partial.end(abort, "the response ended without its final event"),
        }
    }
}

/// A response as far as it has arrived.
struct Partial {
    model: Model,
    blocks: Vec<AssistantBlock>,
    started: bool,
}

impl Partial {
    fn start(&mut self, events: &dyn EventSink, blocks: usize) {
        if !self.started {
            self.started = true;
            let blocks = Some(blocks);
            events.emit(AgentEvent::MessageStart { role: Role::Assistant, tool_call_id: None, blocks });
        }
    }

    fn take(&mut self, event: StreamEvent, events: &dyn EventSink) {
        self.start(events, self.blocks.len());
        let mut tool_call_id = None;
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
                if let AssistantBlock::Text { text } | AssistantBlock::Thinking { thinking: text, .. } = block {
                    text.push_str(&delta);
                }
                (update_kinds(block).1, index, Some(delta))
            }
            StreamEvent::BlockEnd { index, block } => {
                let update = update_kinds(&block).2;
                if let AssistantBlock::ToolCall(call) = &block {
                    tool_call_id = Some(call.id.clone());
                }
                if let Some(place) = self.blocks.get_mut(index) {
                    *place = block;
                }
                (update, index, None)
            }
        };
        events.emit(AgentEvent::MessageUpdate { kind, content_index, delta, tool_call_id });
    }

    /// The message of a response that broke off.
    fn end(&mut self, abort: &CancellationToken, error: &str) -> AssistantMessage {
        let aborted = abort.is_cancelled();
        let error = if aborted { ABORTED } else { error };
        let content = std::mem::take(&mut self.blocks);
        AssistantMessage { content, ..failure(&self.model, aborted, ProviderError::new(error)) }
    }
}

fn empty_block(kind: BlockKind) -> AssistantBlock {
    match kind {
        BlockKind::Text => AssistantBlock::Text { text: String::new() },
        BlockKind::Thinking => AssistantBlock::Thinking { thinking: String::new(), signature: None, redacted: false },
        BlockKind::ToolCall { id, name } => AssistantBlock::ToolCall(RequestedCall {
            id,
            name,
            arguments: serde_json::Value::Object(serde_json::Map::new()),
            arguments_error: None,
            signature: None,
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
