//! The files that a conversation was about: a summary names them, so that they can be read again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use seam_loop::Message;
use serde_json::{Value, json};

/// Names of files, as the model gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Files {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl Files {
    /// Those that an earlier summary of ours names in its details.
    pub(crate) fn of_details(details: Option<&Value>) -> Self {
        let names = |list: &str| {
            let names = details.and_then(|details| details.get(list)).and_then(Value::as_array).into_iter().flatten();
            names.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self { read: names("readFiles"), modified: names("modifiedFiles") }
    }

    /// With those that calls in these messages name.
    pub(crate) fn with(mut self, messages: &[Arc<Message>]) -> Self {
        for message in messages {
            let Message::Assistant(said) = &**message else { continue };
            for call in said.tool_calls() {
                let list = match &*call.name {
                    "read" => &mut self.read,
                    "write" | "edit" => &mut self.modified,
                    _ => continue,
                };
                list.extend(call.arguments.get("path").and_then(Value::as_str).map(str::to_owned));
            }
        }
        self
    }

    /// Those that were read and not modified.
    fn only_read(&self) -> impl Iterator<Item = &String> {
        self.read.difference(&self.modified)
    }

    /// As they stand in a session file.
    pub(crate) fn details(&self) -> Value {
        json!({ "readFiles": self.only_read().collect::<Vec<_>>(), "modifiedFiles": self.modified })
    }

    /// A summary with the lists behind it.
    pub(crate) fn added_to(&self, summary: &str) -> String {
        let mut text = summary.to_owned();
        add(&mut text, READ, self.only_read());
        add(&mut text, MODIFIED, self.modified.iter());
        text
    }
}

const READ: &str = "read-files";
const MODIFIED: &str = "modified-files";

fn add<'a>(text: &mut String, tag: &str, names: impl Iterator<Item = &'a String>) {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if !names.is_empty() {
        let _cannot_fail = write!(text, "\n\n<{tag}>\n{}\n</{tag}>", names.join("\n"));
    }
}

/// A summary without the lists at its end.
pub(super) fn removed(summary: &str) -> &str {
    let mut rest = summary.trim_end();
    for tag in [MODIFIED, READ] {
        let listed = rest.strip_suffix(&format!("\n</{tag}>")).and_then(|list| list.rfind(&format!("\n\n<{tag}>\n")));
        rest = listed.and_then(|start| rest.get(..start)).unwrap_or(rest);
    }
    rest
}
