//! A conversation as one text, for a model that is to summarise it and not to take part in it.

use std::sync::Arc;

use seam_loop::message::{AssistantMessage, RequestedCall};
use seam_loop::{AssistantBlock, Content, Message};
use serde_json::Value;

use super::is_failed;

/// So many characters of a result are shown.
const RESULT: usize = 2_000;

/// The messages as one text. Pictures are left out, and so are answers that failed.
pub(crate) fn conversation(messages: &[Arc<Message>]) -> String {
    let said: Vec<String> = messages.iter().filter_map(|message| serialised(message)).collect();
    said.join("\n\n")
}

/// One message. Nothing for one of which there is nothing to say.
fn serialised(message: &Message) -> Option<String> {
    if is_failed(message) {
        return None;
    }
    let said = match message {
        Message::User(user) => by("User", &text(&user.content)),
        Message::Custom(custom) => by("User", &text(&custom.content)),
        Message::Assistant(answer) => Some(assistant(answer)),
        Message::ToolResult(result) => by("Tool result", &cut(&text(&result.content))),
    };
    said.filter(|said| !said.is_empty())
}

fn assistant(answer: &AssistantMessage) -> String {
    let (mut thinking, mut text) = (Vec::new(), Vec::new());
    for block in &answer.content {
        match block {
            AssistantBlock::Thinking { thinking: thought, .. } => thinking.push(&**thought),
            AssistantBlock::Text { text: said } => text.push(&**said),
            AssistantBlock::ToolCall(_) => {}
        }
    }
    let calls: Vec<String> = answer.tool_calls().map(call).collect();
    let parts = [
        by("Assistant thinking", &thinking.join("\n")),
        by("Assistant", &text.join("\n")),
        by("Assistant tool calls", &calls.join("; ")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn call(RequestedCall { name, arguments, .. }: &RequestedCall) -> String {
    let arguments: Vec<String> = match arguments {
        Value::Object(fields) => fields.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        other => vec![other.to_string()],
    };
    format!("{name}({})", arguments.join(", "))
}

fn by(who: &str, said: &str) -> Option<String> {
    (!said.trim().is_empty()).then(|| format!("[{who}]: {said}"))
}

fn text(content: &[Content]) -> String {
    content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}

/// The beginning of a long result, and how much is missing.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(RESULT) else { return text.to_owned() };
    let (shown, rest) = text.split_at(end);
    format!("{shown}\n\n[{} more characters are not shown]", rest.chars().count())
}
