//! One turn of a script: its keys, their defaults and which of them go together. Not how it is played.

use std::sync::Arc;
use std::time::Duration;

use seam_loop::message::RequestedCall;
use seam_loop::{AssistantBlock, ErrorKind, StopReason, Usage};

use super::node::{Fault, Node, Object};

const TURN_KEYS: &[&str] = &[
    "content",
    "stopReason",
    "error",
    "errorMessage",
    "usage",
    "stream",
    "chunks",
    "delay",
    "chunkDelay",
    "ignoreAbort",
    "throws",
];

const STOP_REASONS: &[(&str, StopReason)] = &[
    ("stop", StopReason::Stop),
    ("length", StopReason::Length),
    ("toolUse", StopReason::ToolUse),
    ("deferred", StopReason::Deferred),
    ("aborted", StopReason::Aborted),
    ("error", StopReason::Error),
];

const ERROR_KINDS: &[(&str, ErrorKind)] = &[
    ("overflow", ErrorKind::Overflow),
    ("transient", ErrorKind::Transient { retry_after: None }),
    ("other", ErrorKind::Other),
];

/// Whether the blocks are streamed. A response ends with its message either way, so `end` is no third case here.
const STREAMS: &[(&str, bool)] = &[("blocks", true), ("none", false), ("end", true)];

/// What happens to one request.
#[derive(Debug, Clone)]
pub(super) enum Turn {
    /// It fails.
    Throws(String, ErrorKind),
    /// It is answered.
    Answer(Arc<Answer>),
}

impl Turn {
    pub(super) fn parse(node: &Node<'_>) -> Result<Self, Fault> {
        let turn = node.object(TURN_KEYS)?;
        match turn.get("throws") {
            Some(throws) if turn.len() > 1 => Err(throws.fault("stands alone; remove the turn's other keys")),
            Some(throws) => error(&throws).map(|(text, kind)| Self::Throws(text, kind)),
            None => Answer::parse(&turn).map(Arc::new).map(Self::Answer),
        }
    }
}

/// An answer, and how it comes.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: StopReason,
    pub(super) error_message: Option<String>,
    pub(super) error_kind: ErrorKind,
    pub(super) usage: Usage,
    /// Whether it comes piece by piece; otherwise there is only the message.
    pub(super) streamed: bool,
    /// Before everything.
    pub(super) delay: Duration,
    /// Before each event.
    pub(super) chunk_delay: Duration,
    pub(super) ignore_abort: bool,
}

impl Answer {
    /// The answer to a request for which the script has no turn.
    pub(super) fn exhausted() -> Self {
        Self {
            blocks: Vec::new(),
            stop_reason: StopReason::Error,
            error_message: Some("script exhausted".to_owned()),
            error_kind: ErrorKind::Other,
            usage: Usage::default(),
            streamed: false,
            delay: Duration::ZERO,
            chunk_delay: Duration::ZERO,
            ignore_abort: false,
        }
    }

    fn parse(turn: &Object<'_>) -> Result<Self, Fault> {
        let chunks = turn.read("chunks", |node| node.whole(1))?.unwrap_or(1);
        let blocks = turn.read("content", |node| blocks(node, chunks))?.unwrap_or_default();
        let Ending { stop_reason, error_message, error_kind } = Ending::parse(turn, &blocks)?;
        Ok(Self {
            blocks,
            stop_reason,
            error_message,
            error_kind,
            usage: turn.read("usage", usage)?.unwrap_or_default(),
            streamed: turn.read("stream", |node| node.choice(STREAMS))?.unwrap_or(true),
            delay: milliseconds(turn, "delay")?,
            chunk_delay: milliseconds(turn, "chunkDelay")?,
            ignore_abort: turn.read("ignoreAbort", Node::flag)?.unwrap_or(false),
        })
    }
}

/// How an answer ends.
struct Ending {
    stop_reason: StopReason,
    error_message: Option<String>,
    error_kind: ErrorKind,
}

impl Ending {
    fn parse(turn: &Object<'_>, blocks: &[Block]) -> Result<Self, Fault> {
        if let Some(node) = turn.get("error") {
            if turn.has("stopReason") || turn.has("errorMessage") {
                return Err(node.fault("stands for stopReason and errorMessage; remove them"));
            }
            let (text, error_kind) = error(&node)?;
            return Ok(Self { stop_reason: StopReason::Error, error_message: Some(text), error_kind });
        }
        let stop_reason = turn.read("stopReason", |node| node.choice(STOP_REASONS))?;
        let error_message = turn.read("errorMessage", Node::owned_text)?;
        let stop_reason = stop_reason.unwrap_or_else(|| default_stop_reason(blocks));
        Ok(Self { stop_reason, error_message, error_kind: ErrorKind::Other })
    }
}

/// What an error says, and its kind: a text, or an object that says both.
fn error(node: &Node<'_>) -> Result<(String, ErrorKind), Fault> {
    if !node.value().is_object() {
        let text = node.owned_text().map_err(|_| node.fault("expected a string or an object"))?;
        return Ok((text, ErrorKind::Other));
    }
    let fields = node.object(&["message", "kind", "retryAfter"])?;
    let text = fields.require("message")?.owned_text()?;
    let kind = fields.read("kind", |node| node.choice(ERROR_KINDS))?.unwrap_or_default();
    let retry_after = fields.read("retryAfter", |node| node.whole(0))?.map(Duration::from_millis);
    match (kind, fields.get("retryAfter")) {
        (ErrorKind::Transient { .. }, _) => Ok((text, ErrorKind::Transient { retry_after })),
        (_, Some(node)) => Err(node.fault("goes with the kind `transient` alone; remove it")),
        (kind, None) => Ok((text, kind)),
    }
}

fn default_stop_reason(blocks: &[Block]) -> StopReason {
    let calls = blocks.iter().any(|block| matches!(block.whole, AssistantBlock::ToolCall(_)));
    if calls { StopReason::ToolUse } else { StopReason::Stop }
}

fn milliseconds(turn: &Object<'_>, key: &str) -> Result<Duration, Fault> {
    Ok(turn.read(key, |node| node.whole(0))?.map_or(Duration::ZERO, Duration::from_millis))
}

fn usage(node: &Node<'_>) -> Result<Usage, Fault> {
    let usage = node.object(&["input", "output", "cacheRead", "cacheWrite"])?;
    let tokens = |key| usage.read(key, |node| node.whole(0)).map(Option::unwrap_or_default);
    Ok(Usage {
        input: tokens("input")?,
        output: tokens("output")?,
        cache_read: tokens("cacheRead")?,
        cache_write: tokens("cacheWrite")?,
        cost: 0.0,
    })
}

/// A block of an answer, and the pieces it comes in.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) whole: AssistantBlock,
    pub(super) deltas: Vec<String>,
}

impl Block {
    fn text(text: String, chunks: usize) -> Self {
        Self { deltas: split(&text, chunks), whole: AssistantBlock::Text { text } }
    }

    fn thinking(thinking: String, chunks: usize) -> Self {
        Self {
            deltas: split(&thinking, chunks),
            whole: AssistantBlock::Thinking { thinking, signature: None, redacted: false },
        }
    }

    fn tool_call(node: &Node<'_>) -> Result<Self, Fault> {
        let call = node.object(&["id", "name", "args", "argumentsError"])?;
        let arguments = call.require("args")?;
        let delta = serde_jcs::to_string(arguments.value()).map_err(|error| arguments.fault(error.to_string()))?;
        let whole = AssistantBlock::ToolCall(RequestedCall {
            id: call.require("id")?.owned_text()?,
            name: call.require("name")?.owned_text()?,
            arguments: arguments.value().clone(),
            arguments_error: call.read("argumentsError", Node::owned_text)?,
            signature: None,
        });
        Ok(Self { whole, deltas: vec![delta] })
    }
}

fn blocks(content: &Node<'_>, chunks: usize) -> Result<Vec<Block>, Fault> {
    content.list()?.map(|node| block(&node, chunks)).collect()
}

fn block(node: &Node<'_>, chunks: usize) -> Result<Block, Fault> {
    match node.single() {
        Some(("text", text)) => Ok(Block::text(text.owned_text()?, chunks)),
        Some(("thinking", thinking)) => Ok(Block::thinking(thinking.owned_text()?, chunks)),
        Some(("toolCall", call)) => Block::tool_call(&call),
        Some(("image", image)) => Err(image.fault("an answer cannot hold an image")),
        _ => Err(node.fault("expected one of text, thinking, toolCall")),
    }
}

/// Splits `text` into `parts` of equally many code points, the last one taking the rest. A text with fewer code points
/// than that comes in one part for each; an empty text is one empty part.
fn split(text: &str, parts: usize) -> Vec<String> {
    let size = (text.chars().count() / parts.max(1)).max(1);
    let mut rest = text;
    let mut split = Vec::new();
    while split.len() + 1 < parts
        && let Some((cut, _)) = rest.char_indices().nth(size)
    {
        let (part, after) = rest.split_at(cut);
        split.push(part.to_owned());
        rest = after;
    }
    split.push(rest.to_owned());
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_by_code_points() {
        assert_eq!(split("one two", 2), ["one", " two"]);
        assert_eq!(split("the answer", 3), ["the", " an", "swer"]);
        assert_eq!(split("👨\u{200d}👩x", 2), ["👨\u{200d}", "👩x"]);
        assert_eq!(split("e\u{301}é", 3), ["e", "\u{301}", "é"]);
    }

    #[test]
    fn a_short_text_has_fewer_parts() {
        assert_eq!(split("ab", 5), ["a", "b"]);
        assert_eq!(split("", 3), [""]);
        assert_eq!(split("ab", usize::MAX), ["a", "b"]);
    }
}
