//! The body of a request: everything but the messages and the thinking, and the marks of what is to be cached.

use seam_loop::ToolDefinition;
use serde_json::{Map, Value, json};

use super::{messages, thinking};
use crate::options::CacheRetention;
use crate::protocol::{Asked, schema};

/// How many messages of the user's side are marked: what the last request ended with, and what this one ends with.
const MARKED: usize = 2;

/// The body of a request.
pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), asked.model.into());
    body.insert("max_tokens".to_owned(), asked.max_tokens.into());
    body.insert("stream".to_owned(), true.into());
    if !asked.system.trim().is_empty() {
        body.insert("system".to_owned(), marked(vec![messages::text(asked.system)], asked.cache));
    }
    if !asked.tools.is_empty() {
        body.insert("tools".to_owned(), marked(asked.tools.iter().map(tool).collect(), asked.cache));
    }
    let mut messages = messages::messages(&asked.turns);
    mark_messages(&mut messages, asked.cache);
    body.insert("messages".to_owned(), messages.into());
    thinking::put(asked, &mut body);
    body.into()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "name": &*tool.name, "description": tool.description, "input_schema": schema(&tool.parameters) })
}

/// The list with a mark at its end: what comes before is cached.
fn marked(mut list: Vec<Value>, cache: CacheRetention) -> Value {
    list.last_mut().into_iter().for_each(|last| mark(last, cache));
    list.into()
}

fn mark_messages(messages: &mut [Value], cache: CacheRetention) {
    let of_user = messages.iter_mut().rev().filter(|message| message.get("role").is_some_and(|role| role == "user"));
    for message in of_user.take(MARKED) {
        let blocks = message.get_mut("content").and_then(Value::as_array_mut);
        blocks.and_then(|blocks| blocks.last_mut()).into_iter().for_each(|last| mark(last, cache));
    }
}

fn mark(block: &mut Value, cache: CacheRetention) {
    let mark = match cache {
        CacheRetention::None => return,
        CacheRetention::Short => json!({ "type": "ephemeral" }),
        CacheRetention::Long => json!({ "type": "ephemeral", "ttl": "1h" }),
    };
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".to_owned(), mark);
    }
}
