//! The entries of a session: what is known of each without reading its line again.

use std::sync::Arc;

use serde::Serialize;

use crate::lines::Place;

/// One line of a session after the header.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(crate) id: Arc<str>,
    pub(crate) parent: Parent,
    /// How many entries are above it.
    pub(crate) depth: usize,
    pub(crate) kind: EntryKind,
    pub(crate) place: Place,
}

/// Where an entry hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    Root,
    Entry(usize),
    /// It names an entry that is not there.
    Missing,
}

impl Entry {
    /// Its id. Other entries name it by this.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it is.
    pub fn kind(&self) -> &EntryKind {
        &self.kind
    }

    /// The line it stands on, from 1.
    pub fn line(&self) -> u64 {
        self.place.line
    }
}

/// The types of entries, with what the tree and the reduction need of each.
///
/// The two dialects of version 3 differ in four: only 0.80.10 writes `active_tools_change` and `leaf`, only 1.0.3 writes
/// `context_edit` and `usage`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// `message`: a message of the conversation.
    Message {
        /// Who speaks: `user`, `assistant`, `toolResult`, `system`, `bashExecution` or another word.
        role: Option<Box<str>>,
        /// Of an assistant: the model that answered.
        model: Option<Model>,
    },
    /// `model_change`: another model answers from here.
    ModelChange(Model),
    /// `thinking_level_change`: another thinking level from here.
    ThinkingLevelChange(Box<str>),
    /// `active_tools_change`: other tools from here.
    ActiveToolsChange(Vec<String>),
    /// `compaction`: a summary replaces what came before.
    Compaction {
        /// The first entry that is kept beside the summary.
        first_kept: Option<Box<str>>,
    },
    /// `branch_summary`: what happened on a branch that was left.
    BranchSummary,
    /// `custom`: state of an extension. The model does not see it.
    Custom {
        /// Whose state it is.
        custom_type: Option<Box<str>>,
    },
    /// `custom_message`: a message of an extension.
    CustomMessage {
        /// Whose message it is.
        custom_type: Option<Box<str>>,
    },
    /// `label`: a name for an entry. Without a text, the name is taken away.
    Label {
        /// The entry.
        target: Box<str>,
        /// Its name.
        label: Option<Box<str>>,
    },
    /// `session_info`: a name for the session.
    SessionInfo {
        /// The name.
        name: Option<Box<str>>,
    },
    /// `leaf`: the next entry hangs elsewhere.
    Leaf {
        /// Where. Nothing: the next entry is a root.
        target: Option<Box<str>>,
    },
    /// `context_edit`: what another entry adds to the context is changed or left out.
    ContextEdit {
        /// The other entry.
        target: Box<str>,
    },
    /// `usage`: what something beside the conversation has cost.
    Usage,
    /// A type that is not known here.
    Other(Box<str>),
}

impl EntryKind {
    /// The name of the type, as it stands in the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Message { .. } => "message",
            Self::ModelChange(_) => "model_change",
            Self::ThinkingLevelChange(_) => "thinking_level_change",
            Self::ActiveToolsChange(_) => "active_tools_change",
            Self::Compaction { .. } => "compaction",
            Self::BranchSummary => "branch_summary",
            Self::Custom { .. } => "custom",
            Self::CustomMessage { .. } => "custom_message",
            Self::Label { .. } => "label",
            Self::SessionInfo { .. } => "session_info",
            Self::Leaf { .. } => "leaf",
            Self::ContextEdit { .. } => "context_edit",
            Self::Usage => "usage",
            Self::Other(name) => name,
        }
    }

    /// Whether it is a message of this role.
    pub(crate) fn is_message_of(&self, wanted: &str) -> bool {
        matches!(self, Self::Message { role: Some(role), .. } if &**role == wanted)
    }
}

/// A model, as entries name it. A file that was made by hand may leave out either.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Whose model it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which of that provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
}
