//! Entries that are to be written.

use serde_json::{Map, Value};

use crate::time;

/// An entry that is to be appended. Labels, names and moves of the leaf have methods of their own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NewEntry {
    /// A message of the conversation: a JSON object with a `role`.
    Message(Value),
    /// Another model answers from here.
    ModelChange {
        /// Whose model it is.
        provider: String,
        /// Which of that provider's.
        model_id: String,
    },
    /// Another thinking level from here.
    ThinkingLevelChange(String),
    /// Other tools from here.
    ActiveToolsChange(Vec<String>),
    /// A summary replaces what came before.
    Compaction(Compaction),
    /// State of an extension. The model does not see it.
    Custom {
        /// Whose state it is.
        custom_type: String,
        /// The state.
        data: Option<Value>,
    },
    /// A message of an extension.
    CustomMessage {
        /// Whose message it is.
        custom_type: String,
        /// A text, or a list of content blocks.
        content: Value,
        /// Whether people see it too.
        display: bool,
        /// What the extension keeps with it.
        details: Option<Value>,
    },
}

/// What a compaction keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    /// What is left of the entries that are not kept.
    pub summary: String,
    /// The first entry on the branch that is kept. Nothing: no entry is.
    pub first_kept: Option<String>,
    /// How many tokens the context had.
    pub tokens_before: u64,
    /// What its maker keeps with it.
    pub details: Option<Value>,
    /// Whether a plugin made the summary.
    pub from_hook: Option<bool>,
}

/// What happened on a branch that is left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BranchSummary {
    /// What happened. An empty text adds nothing to the context.
    pub summary: String,
    /// What its maker keeps with it.
    pub details: Option<Value>,
    /// Whether a plugin made the summary.
    pub from_hook: Option<bool>,
}

/// The fields of a line, in the order of the reference.
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// What every entry has.
    pub(crate) fn new(kind: &str, id: &str, parent: Option<&str>) -> Self {
        let base = Self(Map::new()).with("type", kind).with("id", id);
        base.with("parentId", parent).with("timestamp", time::iso(time::now()))
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// A field that is left out when there is nothing to say.
    pub(crate) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value { self.with(name, value) } else { self }
    }

    pub(crate) fn line(self) -> String {
        Value::Object(self.0).to_string()
    }
}

impl NewEntry {
    /// Its type, as it stands in the file.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::ModelChange { .. } => "model_change",
            Self::ThinkingLevelChange(_) => "thinking_level_change",
            Self::ActiveToolsChange(_) => "active_tools_change",
            Self::Compaction(_) => "compaction",
            Self::Custom { .. } => "custom",
            Self::CustomMessage { .. } => "custom_message",
        }
    }

    /// Adds what this type has beside the base.
    pub(crate) fn fill(self, fields: Fields) -> Fields {
        match self {
            Self::Message(message) => fields.with("message", message),
            Self::ModelChange { provider, model_id } => fields.with("provider", provider).with("modelId", model_id),
            Self::ThinkingLevelChange(level) => fields.with("thinkingLevel", level),
            Self::ActiveToolsChange(names) => fields.with("activeToolNames", names),
            Self::Compaction(compaction) => compaction.fill(fields),
            Self::Custom { custom_type, data } => fields.with("customType", custom_type).maybe("data", data),
            Self::CustomMessage { custom_type, content, display, details } => {
                let fields = fields.with("customType", custom_type).with("content", content).with("display", display);
                fields.maybe("details", details)
            }
        }
    }
}

impl Compaction {
    fn fill(self, fields: Fields) -> Fields {
        // A compaction that names itself keeps nothing.
        let first_kept = self.first_kept.map(Value::String).or_else(|| fields.0.get("id").cloned());
        let fields = fields.with("summary", self.summary).maybe("firstKeptEntryId", first_kept);
        let fields = fields.with("tokensBefore", self.tokens_before).maybe("details", self.details);
        fields.maybe("fromHook", self.from_hook)
    }
}

impl BranchSummary {
    pub(crate) fn fill(self, fields: Fields, from: &str) -> Fields {
        let fields = fields.with("fromId", from).with("summary", self.summary);
        fields.maybe("details", self.details).maybe("fromHook", self.from_hook)
    }
}
