//! Messages of the loop and messages of a session file: what is written of ours, and what is read of anybody's.
//!
//! What we write is what the reference writes, with more fields where ours say more: it opens there, and nothing of a
//! message is lost when it is read again. The one exception is the time of a plugin's message, which is that of its entry,
//! as in the reference. Of a message of the reference, the provider's private mark on text is not taken in.

mod calls;
mod foreign;
pub(crate) mod past;
mod shortened;
mod whole;

use std::collections::BTreeMap;
use std::sync::Arc;

use seam_loop::message::{
    AssistantBlock, AssistantMessage, CustomMessage, RequestedCall, ToolResultMessage, Usage, UserMessage,
};
use seam_loop::{Content, Message, Model, StopReason, ThinkingLevel};
use seam_session::{NewEntry, Session, SessionError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) use calls::{hidden_calls, last_said};
pub(crate) use foreign::compacted;
pub(crate) use shortened::{Shortened, said};
pub(crate) use whole::{Interrupted, interrupted, made};

#[cfg(test)]
mod tests;

/// What a session file says of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Restored {
    /// Its messages. Every call but those of `open` has its result, right behind it.
    pub(crate) messages: Vec<Message>,
    /// The entries of the messages.
    pub(crate) sources: Sources,
    /// The compaction that it begins with.
    pub(crate) shortened: Option<Shortened>,
    /// The last calls, if they have no results.
    pub(crate) open: Vec<RequestedCall>,
    /// The model that was chosen or answered last.
    pub(crate) model: Option<Model>,
    /// How much it should think.
    pub(crate) thinking_level: ThinkingLevel,
    /// The tools that were chosen. Nothing if nobody ever chose.
    pub(crate) active_tools: Option<Vec<String>>,
    /// What is not as it stands in the file.
    pub(crate) notices: Vec<String>,
}

impl Restored {
    /// Reads the branch to the leaf.
    pub(crate) fn of(session: &Session) -> Result<Self, SessionError> {
        let (mut reader, mut messages, mut ids) = (Reader::default(), Vec::new(), Vec::new());
        // One by one: as JSON values they take several times the memory.
        session.each_message(|message, source| {
            if let Some(message) = reader.message(message) {
                messages.push(message);
                ids.push(Arc::clone(source));
            }
        })?;
        let (reduction, whole) = (session.reduction(), whole::whole(messages));
        let sources = Sources { ids, places: whole.places };
        let shortened = Shortened::of(session, &sources)?;
        let model = reduction.model().cloned();
        let model = model.and_then(|model| Some(Model { provider: model.provider?, id: model.model_id? }));
        let thinking_level = parsed(reduction.thinking_level().into()).unwrap_or_default();
        let damages = session.notices().iter().map(ToString::to_string);
        let notices = damages.chain(reader.notices()).chain(whole.notices).collect();
        let active_tools = reduction.active_tools().map(<[String]>::to_vec);
        let (messages, open) = (whole.messages, whole.open);
        Ok(Self { messages, sources, shortened, open, model, thinking_level, active_tools, notices })
    }
}

/// Where the messages of a conversation stand in its file.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The ids of entries, in the order of the branch.
    ids: Vec<Arc<str>>,
    /// For each message the place of its entry in that order; none for one that is in no entry.
    places: Vec<Option<usize>>,
}

impl Sources {
    /// The id of a message's entry.
    pub(crate) fn id(&self, message: usize) -> Option<&Arc<str>> {
        self.ids.get((*self.places.get(message)?)?)
    }

    /// Whether the entries of all messages before this one are before its own, and those of all others are not.
    pub(crate) fn may_cut(&self, message: usize) -> bool {
        let Some((before, from)) = self.places.split_at_checked(message) else { return false };
        let first = from.iter().flatten().min();
        first == from.first().and_then(Option::as_ref) && first.is_some() && before.iter().flatten().max() < first
    }
}

/// The entry that keeps a message.
pub(crate) fn entry(message: &Message) -> NewEntry {
    match message {
        Message::Custom(CustomMessage { custom_type, content, display, details, timestamp: _ }) => {
            let (custom_type, display, details) = (custom_type.clone(), *display, details.clone());
            NewEntry::CustomMessage { custom_type, content: json!(content), display, details }
        }
        _ => NewEntry::Message(written(message)),
    }
}

/// A thinking level as it stands in the file.
pub(crate) fn level_name(level: ThinkingLevel) -> String {
    json!(level).as_str().unwrap_or_default().to_owned()
}

/// A message as it stands in the file.
fn written(message: &Message) -> Value {
    let mut value = json!(message);
    let Some(fields) = value.as_object_mut() else { return value };
    match message {
        Message::Assistant(said) => {
            // The reference asks for the name of an interface too. A provider has one here.
            fields.insert("api".to_owned(), said.provider.clone().into());
            fields.insert("usage".to_owned(), usage(&said.usage));
        }
        Message::ToolResult(ToolResultMessage { usage: Some(cost), .. }) => {
            fields.insert("usage".to_owned(), usage(cost));
        }
        _ => {}
    }
    value
}

/// Usage with its sums. What the parts of the cost are is not known.
fn usage(usage: &Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, cost } = *usage;
    let total: u64 = [input, output, cache_read, cache_write].into_iter().map(u64::from).sum();
    json!({
        "input": input, "output": output, "cacheRead": cache_read, "cacheWrite": cache_write, "totalTokens": total,
        "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost }
    })
}

/// Reads messages, and counts what it cannot take in.
#[derive(Default)]
struct Reader {
    left_out: BTreeMap<String, usize>,
}

impl Reader {
    /// A message of any program. Nothing for what no model is shown.
    fn message(&mut self, message: Value) -> Option<Message> {
        let Value::Object(mut fields) = message else { return self.leave_out("message that is no object".to_owned()) };
        let role = text(&mut fields, "role").unwrap_or_default();
        Some(match &*role {
            "user" => Message::User(self.user(fields)),
            "assistant" => Message::Assistant(self.assistant(fields)),
            "toolResult" => Message::ToolResult(self.result(fields)),
            "custom" => Message::Custom(self.custom(fields)),
            _ => match foreign::user(&role, &mut fields) {
                Some(text) => {
                    Message::User(UserMessage { content: vec![Content::text(text?)], timestamp: time(&fields) })
                }
                None => return self.leave_out(format!("message of the role `{role}`")),
            },
        })
    }

    fn user(&mut self, mut fields: Map<String, Value>) -> UserMessage {
        UserMessage { content: self.content(&mut fields), timestamp: time(&fields) }
    }

    fn assistant(&mut self, mut fields: Map<String, Value>) -> AssistantMessage {
        let content = match take(&mut fields, "content") {
            Some(Value::String(text)) => vec![AssistantBlock::Text { text }],
            other => self.blocks(other),
        };
        let error_message = text(&mut fields, "errorMessage");
        let otherwise = if error_message.is_some() { StopReason::Error } else { StopReason::Stop };
        AssistantMessage {
            content,
            provider: text(&mut fields, "provider").unwrap_or_default(),
            model: text(&mut fields, "model").unwrap_or_default(),
            usage: take(&mut fields, "usage").map(|value| cost(&value)).unwrap_or_default(),
            thinking_level: take(&mut fields, "thinkingLevel").and_then(parsed),
            stop_reason: take(&mut fields, "stopReason").and_then(parsed).unwrap_or(otherwise),
            error_message,
            error_kind: seam_loop::ErrorKind::Other,
            timestamp: time(&fields),
        }
    }

    fn result(&mut self, mut fields: Map<String, Value>) -> ToolResultMessage {
        ToolResultMessage {
            tool_call_id: text(&mut fields, "toolCallId").unwrap_or_default(),
            tool_name: text(&mut fields, "toolName").unwrap_or_default(),
            content: self.content(&mut fields),
            details: take(&mut fields, "details"),
            structured_content: take(&mut fields, "structuredContent").and_then(parsed),
            usage: take(&mut fields, "usage").map(|value| cost(&value)),
            is_error: take(&mut fields, "isError").and_then(|value| value.as_bool()).unwrap_or_default(),
            timestamp: time(&fields),
        }
    }

    fn custom(&mut self, mut fields: Map<String, Value>) -> CustomMessage {
        CustomMessage {
            custom_type: text(&mut fields, "customType").unwrap_or_default(),
            content: self.content(&mut fields),
            display: take(&mut fields, "display").and_then(|value| value.as_bool()).unwrap_or_default(),
            details: take(&mut fields, "details"),
            timestamp: time(&fields),
        }
    }

    fn content(&mut self, fields: &mut Map<String, Value>) -> Vec<Content> {
        match take(fields, "content") {
            Some(Value::String(text)) => vec![Content::Text { text }],
            other => self.blocks(other),
        }
    }

    fn blocks<T: DeserializeOwned>(&mut self, content: Option<Value>) -> Vec<T> {
        let Some(Value::Array(blocks)) = content else { return Vec::new() };
        let block = |block: Value| {
            let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            parsed(block).or_else(|| self.leave_out(format!("block of the type `{kind}` that cannot be read")))
        };
        blocks.into_iter().filter_map(block).collect()
    }

    fn leave_out<T>(&mut self, what: String) -> Option<T> {
        *self.left_out.entry(what).or_default() += 1;
        None
    }

    fn notices(self) -> impl Iterator<Item = String> {
        self.left_out.into_iter().map(|(what, count)| format!("{count} × {what}: the model is not shown it"))
    }
}

/// What something cost. The reference has the sum of the cost in an object.
fn cost(value: &Value) -> Usage {
    let tokens = |name: &str| {
        let tokens = value.get(name).and_then(Value::as_u64).unwrap_or_default();
        u32::try_from(tokens).unwrap_or(u32::MAX)
    };
    let cost = value.get("cost").map(|cost| cost.get("total").unwrap_or(cost));
    Usage {
        input: tokens("input"),
        output: tokens("output"),
        cache_read: tokens("cacheRead"),
        cache_write: tokens("cacheWrite"),
        cost: cost.and_then(Value::as_f64).unwrap_or_default(),
    }
}

fn take(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    fields.shift_remove(name).filter(|value| !value.is_null())
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    if let Value::String(text) = take(fields, name)? { Some(text) } else { None }
}

fn time(fields: &Map<String, Value>) -> u64 {
    fields.get("timestamp").and_then(Value::as_u64).unwrap_or_default()
}

fn parsed<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}
