//! Message edits: what a rule of a hook does to a list of messages.

use std::collections::VecDeque;
use std::sync::Arc;

use seam_loop::Message;
use serde_json::Value;

use super::json::strings;
use super::{parse, render};

/// A list of messages, and whether the system message leads it. The loop keeps the prompt elsewhere, so the lists it
/// gives hold none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    pub(super) system: bool,
    pub(super) messages: Vec<Arc<Message>>,
}

/// The list after the edit.
pub(super) fn apply(edit: &Value, shown: Shown) -> Result<Shown, String> {
    let Shown { mut system, messages } = shown;
    let mut messages = VecDeque::from(messages);
    let dropped: Vec<&str> = strings(&edit["dropRoles"]).collect();
    messages.retain(|message| !dropped.contains(&render::role(message)));
    system &= !dropped.contains(&"system");
    let counted = edit["countSystem"] == true;
    if let Some(count) = number(edit, "dropFirst") {
        let others = if counted && system && count > 0 { count - 1 } else { count };
        system &= !counted || count == 0;
        messages.drain(..others.min(messages.len()));
    }
    if let Some(count) = number(edit, "keepLast") {
        system &= !counted || count > messages.len();
        messages.drain(..messages.len().saturating_sub(count));
    }
    let mut list: Vec<Arc<Message>> = added(edit, "prepend")?;
    list.extend(messages);
    list.extend(added(edit, "append")?);
    Ok(Shown { system, messages: list })
}

fn number(edit: &Value, key: &str) -> Option<usize> {
    edit[key].as_u64().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

fn added(edit: &Value, key: &str) -> Result<Vec<Arc<Message>>, String> {
    Ok(parse::messages(&edit[key])?.into_iter().map(Arc::new).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The texts after an edit of the system message and a, b, c.
    fn edited(edit: Value) -> String {
        let messages = ["a", "b", "c"].map(|text| Arc::new(Message::user(text))).to_vec();
        let shown = apply(&edit, Shown { system: true, messages }).unwrap();
        let texts = shown.messages.iter().map(|message| parse::text(&render::message(message)["content"][0], "text"));
        format!("{}{}", if shown.system { "s" } else { "" }, texts.collect::<String>())
    }

    #[test]
    fn edits() {
        assert_eq!(edited(json!({ "dropFirst": 2 })), "sc");
        assert_eq!(edited(json!({ "dropFirst": 2, "countSystem": true })), "bc");
        assert_eq!(edited(json!({ "dropFirst": 0, "countSystem": true })), "sabc");
        assert_eq!(edited(json!({ "dropFirst": 9 })), "s");
        assert_eq!(edited(json!({ "keepLast": 1 })), "sc");
        assert_eq!(edited(json!({ "keepLast": 0 })), "s");
        assert_eq!(edited(json!({ "keepLast": 3, "countSystem": true })), "abc");
        assert_eq!(edited(json!({ "keepLast": 4, "countSystem": true })), "sabc");
        assert_eq!(edited(json!({ "dropRoles": ["user"], "prepend": ["x"], "append": ["y"] })), "sxy");
        assert_eq!(edited(json!({ "dropRoles": ["system"], "dropFirst": 1, "keepLast": 1, "append": ["y"] })), "cy");
    }
}
