//! Messages of a recording, from the loop's own.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::{AssistantBlock, Content, Message, Usage};
use serde_json::{Value, json};

use super::json::put;

/// The name of a message's role.
pub(super) fn role(message: &Message) -> &str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "toolResult",
        Message::Custom(custom) => &custom.custom_type,
    }
}

/// The ids of tool results.
pub(super) fn result_ids(results: &[Arc<Message>]) -> Vec<&str> {
    results
        .iter()
        .filter_map(|message| match &**message {
            Message::ToolResult(result) => Some(result.tool_call_id.as_str()),
            _ => None,
        })
        .collect()
}

/// A message of a recording.
pub(super) fn message(message: &Message) -> Value {
    let mut out = json!({ "role": role(message) });
    match message {
        Message::User(user) => out["content"] = contents(&user.content),
        Message::Custom(custom) => out["content"] = contents(&custom.content),
        Message::Assistant(assistant) => {
            out["content"] = assistant.content.iter().map(block).collect();
            out["model"] = json!(assistant.model);
            out["stopReason"] = json!(assistant.stop_reason);
            put(&mut out, "thinkingLevel", assistant.thinking_level.map(|level| json!(level)));
            put(&mut out, "errorMessage", assistant.error_message.clone());
            put(&mut out, "usage", usage(&assistant.usage));
        }
        Message::ToolResult(result) => {
            out["content"] = contents(&result.content);
            out["toolCallId"] = json!(result.tool_call_id);
            out["toolName"] = json!(result.tool_name);
            out["isError"] = json!(result.is_error);
            put(&mut out, "details", result.details.clone());
            put(&mut out, "usage", result.usage.as_ref().and_then(usage));
        }
    }
    out
}

/// Content of a recording.
pub(super) fn contents(content: &[Content]) -> Value {
    let block = |content: &Content| match content {
        Content::Text { text } => json!({ "text": text }),
        Content::Image { data, mime_type } => {
            json!({ "image": { "mimeType": mime_type, "data": STANDARD.encode(data) } })
        }
    };
    content.iter().map(block).collect()
}

fn block(block: &AssistantBlock) -> Value {
    match block {
        AssistantBlock::Text { text } => json!({ "text": text }),
        AssistantBlock::Thinking { thinking, .. } => json!({ "thinking": thinking }),
        AssistantBlock::ToolCall(call) => {
            let mut out = json!({ "id": call.id, "name": call.name, "args": call.arguments });
            put(&mut out, "argumentsError", call.arguments_error.clone());
            json!({ "toolCall": out })
        }
    }
}

/// Tokens of a recording; none when there are none.
pub(super) fn usage(tokens: &Usage) -> Option<Value> {
    let Usage { input, output, cache_read, cache_write, .. } = *tokens;
    let total: u64 = [input, output, cache_read, cache_write].into_iter().map(u64::from).sum();
    (total > 0).then(|| {
        json!({
            "input": input, "output": output, "cacheRead": cache_read, "cacheWrite": cache_write, "totalTokens": total
        })
    })
}

/// The system message that recordings show: the prompt and the tools.
pub(super) fn system(prompt: &str, tools: &[&str]) -> Value {
    let mut out = json!({ "role": "system", "text": prompt });
    put(&mut out, "toolsAdded", (!tools.is_empty()).then(|| json!(tools)));
    out
}

/// The role of the last message, the system message included.
pub(super) fn last_role(system: bool, messages: &[Arc<Message>]) -> Value {
    match messages.last() {
        Some(last) => json!(role(last)),
        None if system => json!("system"),
        None => Value::Null,
    }
}
