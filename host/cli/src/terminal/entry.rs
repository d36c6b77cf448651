//! An entry of a session in words: who says it, and what.

use serde_json::Value;

use crate::terminal::events::words::short_arguments;
use crate::terminal::style::one_line;

/// How long names and arguments get, in characters.
const WIDTH: usize = 100;

/// An entry in words. They are not cleaned of control characters, but for the calls.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Who says it, or what it is.
    pub(crate) who: String,
    /// What is said.
    pub(crate) text: String,
    /// The tool calls in it, each on a clean line.
    pub(crate) calls: Vec<String>,
    /// It is a setting or a note, and nobody's words.
    pub(crate) is_aside: bool,
    /// It is the result of a tool.
    pub(crate) is_result: bool,
}

impl Words {
    /// Reads an entry as it stands in the file, of whatever program.
    pub(crate) fn of(entry: &Value) -> Self {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let aside = |who: &str, text: String| Self { who: who.to_owned(), text, is_aside: true, ..Self::default() };
        match &*text("type") {
            "message" => entry.get("message").map(Self::of_message).unwrap_or_default(),
            "custom_message" => Self { who: text("customType"), text: content(entry), ..Self::default() },
            "model_change" => aside("model", format!("{}/{}", text("provider"), text("modelId"))),
            "thinking_level_change" => aside("thinking", text("thinkingLevel")),
            "active_tools_change" => aside("tools", list(entry.get("activeToolNames"))),
            "compaction" => Self { who: "compacted".to_owned(), text: text("summary"), ..Self::default() },
            "branch_summary" => {
                Self { who: "a branch that was left".to_owned(), text: text("summary"), ..Self::default() }
            }
            "custom" => aside("state of", whose(entry, text("customType"))),
            "label" => aside("label", format!("`{}` for {}", text("label"), text("targetId"))),
            "session_info" => aside("name", text("name")),
            "leaf" => {
                aside("moved to", entry.get("targetId").and_then(Value::as_str).unwrap_or("the start").to_owned())
            }
            other => aside(other, String::new()),
        }
    }

    fn of_message(message: &Value) -> Self {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut words = Self { text: content(message), ..Self::default() };
        words.who = match text("role") {
            "user" => "you".to_owned(),
            "assistant" => format!("{}/{}", text("provider"), text("model")),
            "toolResult" => {
                words.is_result = true;
                let failed = message.get("isError").and_then(Value::as_bool).unwrap_or_default();
                format!("{} {}", text("toolName"), if failed { "✗" } else { "✓" })
            }
            "bashExecution" => {
                words.text = format!("! {}\n{}", text("command"), text("output"));
                "you".to_owned()
            }
            other => other.to_owned(),
        };
        words.calls = blocks(message).filter_map(call).collect();
        let error = text("errorMessage");
        if !error.is_empty() {
            words.text.push_str(&format!("{}[it ended: {error}]", if words.text.is_empty() { "" } else { "\n" }));
        }
        words
    }

    /// All of it on one clean line.
    pub(crate) fn line(&self, most: usize) -> String {
        let parts = std::iter::once(self.text.trim()).filter(|text| !text.is_empty());
        let said: Vec<&str> = parts.chain(self.calls.iter().map(String::as_str)).collect();
        let gap = if said.is_empty() { "" } else { ": " };
        one_line(&format!("{}{gap}{}", self.who, said.join("  ")), most)
    }
}

/// Whose state an entry holds: what plugins remember is kept by the host, in entries of one type.
fn whose(entry: &Value, custom_type: String) -> String {
    let plugin = entry.pointer("/data/plugin").filter(|_| custom_type == seam_harness::reach::state::ENTRY);
    plugin.and_then(Value::as_str).map_or(custom_type, str::to_owned)
}

/// A time of the file, to the minute, in UTC.
pub(crate) fn when(timestamp: &str) -> String {
    one_line(timestamp, 40).chars().take(16).collect::<String>().replace('T', " ")
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

fn content(message: &Value) -> String {
    if let Some(text) = message.get("content").and_then(Value::as_str) {
        return text.to_owned();
    }
    let texts = blocks(message).filter_map(|block| match block.get("type").and_then(Value::as_str)? {
        "text" => block.get("text").and_then(Value::as_str),
        "image" => Some("[image]"),
        _ => None,
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn call(block: &Value) -> Option<String> {
    let is_call = block.get("type").and_then(Value::as_str) == Some("toolCall");
    let name = block.get("name").and_then(Value::as_str).unwrap_or("?");
    let arguments = block.get("arguments").unwrap_or(&Value::Null);
    is_call.then(|| format!("→ {} {}", one_line(name, WIDTH), short_arguments(arguments, WIDTH)))
}

fn list(names: Option<&Value>) -> String {
    let names = names.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.collect::<Vec<_>>().join(", ")
}
