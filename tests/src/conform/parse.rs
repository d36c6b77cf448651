//! Messages of a scenario, as the loop's own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::message::{CustomMessage, RequestedCall};
use seam_loop::{
    AssistantBlock, AssistantMessage, Content, Message, StopReason, ThinkingLevel, ToolResultMessage, Usage,
    UserMessage,
};
use serde_json::Value;

/// A message of a scenario. The provider's name stays empty: recordings do not hold it.
pub(super) fn message(value: &Value) -> Result<Message, String> {
    if let Some(text) = value.as_str() {
        return Ok(Message::user(text));
    }
    let role = value["role"].as_str().ok_or_else(|| format!("a message has no role: {value}"))?;
    let content = value.get("content").or_else(|| value.get("text"));
    match role {
        "system" => Err("a system message cannot stand here: the prompt and the tools are the host's".to_owned()),
        "user" => Ok(Message::User(UserMessage { content: contents(content)?, timestamp: 0 })),
        "assistant" => assistant(value, content).map(Message::Assistant),
        "toolResult" => Ok(Message::ToolResult(ToolResultMessage {
            tool_call_id: text(value, "toolCallId"),
            tool_name: text(value, "toolName"),
            content: contents(content)?,
            details: value.get("details").cloned(),
            structured_content: value.get("structuredContent").and_then(Value::as_object).cloned(),
            usage: value.get("usage").map(usage),
            is_error: value["isError"] == true,
            timestamp: 0,
        })),
        custom => Ok(Message::Custom(CustomMessage {
            custom_type: custom.to_owned(),
            content: contents(content)?,
            display: true,
            details: value.get("details").cloned(),
            timestamp: 0,
        })),
    }
}

/// A list of messages of a scenario.
pub(super) fn messages(list: &Value) -> Result<Vec<Message>, String> {
    list.as_array().into_iter().flatten().map(message).collect()
}

/// What a user or a tool says: one text, or blocks.
pub(super) fn contents(content: Option<&Value>) -> Result<Vec<Content>, String> {
    match content {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![Content::text(text)]),
        Some(blocks) => blocks.as_array().into_iter().flatten().map(block).collect(),
    }
}

fn block(value: &Value) -> Result<Content, String> {
    match (value["text"].as_str(), value.get("image")) {
        (Some(text), _) => Ok(Content::text(text)),
        (None, Some(picture)) => image(picture),
        (None, None) => Err(format!("neither a text nor an image: {value}")),
    }
}

/// A picture of a scenario.
pub(super) fn image(value: &Value) -> Result<Content, String> {
    let data = STANDARD.decode(text(value, "data")).map_err(|error| format!("an image is not base64: {error}"))?;
    Ok(Content::Image { data, mime_type: text(value, "mimeType") })
}

fn assistant(value: &Value, content: Option<&Value>) -> Result<AssistantMessage, String> {
    let content = match content {
        None => Vec::new(),
        Some(Value::String(text)) => vec![AssistantBlock::Text { text: text.clone() }],
        Some(blocks) => blocks.as_array().into_iter().flatten().map(assistant_block).collect::<Result<_, _>>()?,
    };
    let calls = content.iter().any(|block| matches!(block, AssistantBlock::ToolCall(_)));
    let stop_reason = value.get("stopReason").map(typed::<StopReason>).transpose()?;
    Ok(AssistantMessage {
        content,
        provider: String::new(),
        model: value["model"].as_str().unwrap_or("main").to_owned(),
        usage: value.get("usage").map(usage).unwrap_or_default(),
        thinking_level: value.get("thinkingLevel").map(typed::<ThinkingLevel>).transpose()?,
        stop_reason: stop_reason.unwrap_or(if calls { StopReason::ToolUse } else { StopReason::Stop }),
        error_message: value["errorMessage"].as_str().map(str::to_owned),
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 0,
    })
}

fn assistant_block(value: &Value) -> Result<AssistantBlock, String> {
    if let Some(text) = value["text"].as_str() {
        return Ok(AssistantBlock::Text { text: text.to_owned() });
    }
    if let Some(thinking) = value["thinking"].as_str() {
        return Ok(AssistantBlock::Thinking { thinking: thinking.to_owned(), signature: None, redacted: false });
    }
    let call = value.get("toolCall").ok_or_else(|| format!("no block of a model's message: {value}"))?;
    Ok(AssistantBlock::ToolCall(requested(call)))
}

/// A tool call of a scenario.
pub(super) fn requested(call: &Value) -> RequestedCall {
    RequestedCall {
        id: text(call, "id"),
        name: text(call, "name"),
        arguments: call["args"].clone(),
        arguments_error: call["argumentsError"].as_str().map(str::to_owned),
        signature: None,
    }
}

/// Tokens of a scenario.
pub(super) fn usage(value: &Value) -> Usage {
    let tokens = |key: &str| value[key].as_u64().and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or_default();
    Usage {
        input: tokens("input"),
        output: tokens("output"),
        cache_read: tokens("cacheRead"),
        cache_write: tokens("cacheWrite"),
        cost: 0.0,
    }
}

/// A name of a scenario as the loop's own type.
pub(super) fn typed<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| format!("{value}: {error}"))
}

/// The text at a key; empty when there is none.
pub(super) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}
