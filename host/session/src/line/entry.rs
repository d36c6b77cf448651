//! A line as an entry of the tree: its place in it, and what the reduction asks of its type.

use std::sync::Arc;

use crate::entry::{EntryKind, Model};
use crate::line::{Fact, Facts};

#[cfg(test)]
mod tests;

/// An entry before its parent was looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) id: Arc<str>,
    pub(crate) parent: Option<String>,
    pub(crate) kind: EntryKind,
    /// Whether only 1.0.3 writes such an entry.
    pub(crate) newer: bool,
}

/// Reads lines as entries, of any version.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    version: u64,
    /// How many lines of JSON there were before, with the header.
    count: u64,
    /// Version 1 is a chain: each entry hangs below the one before.
    previous: Option<Arc<str>>,
}

impl Reader {
    /// A reader for what follows the header.
    pub(crate) fn new(version: u64) -> Self {
        Self { version, count: 1, previous: None }
    }

    /// Reads a line. The error says what is wrong with it.
    pub(crate) fn read(&mut self, line: &str) -> Result<Parsed, String> {
        let mut facts = Facts::of(line)?;
        let ordinal = self.count;
        self.count += 1;
        let name = facts.required("type")?;
        if name == "session" {
            return Err("is a second header".to_owned());
        }
        let (id, parent) = if self.version == 1 { self.chained(ordinal) } else { linked(&mut facts)? };
        facts.required("timestamp")?;
        let newer = is_newer(&name, &mut facts);
        let kind = kind(name, &mut facts)?;
        self.previous = Some(id.clone());
        Ok(Parsed { id, parent, kind, newer })
    }

    fn chained(&self, ordinal: u64) -> (Arc<str>, Option<String>) {
        (first_version_id(ordinal).into(), self.previous.as_deref().map(str::to_owned))
    }
}

/// Version 1 has no ids. An entry is named after its place, so that each reading gives the same.
pub(crate) fn first_version_id(ordinal: u64) -> String {
    format!("{ordinal:08x}")
}

/// The id and the parent that a line states.
fn linked(facts: &mut Facts) -> Result<(Arc<str>, Option<String>), String> {
    let id = facts.required("id")?.into();
    let parent = match facts.take("parentId") {
        Some(Fact::Null) => None,
        // The reference takes an empty parent for none.
        Some(Fact::Text(parent)) => Some(parent).filter(|parent| !parent.is_empty()),
        Some(_) => return Err("has a `parentId` that is neither a text nor null".to_owned()),
        None => return Err("has no `parentId`".to_owned()),
    };
    Ok((id, parent))
}

/// Whether it shows that 1.0.3 wrote to the file.
fn is_newer(name: &str, facts: &mut Facts) -> bool {
    match name {
        "context_edit" | "usage" => true,
        "compaction" => facts.take("systemMessage").is_some() || facts.take("usage").is_some(),
        "branch_summary" => facts.take("usage").is_some(),
        _ => false,
    }
}

fn kind(name: String, facts: &mut Facts) -> Result<EntryKind, String> {
    Ok(match name.as_str() {
        "message" => message(facts)?,
        "model_change" => EntryKind::ModelChange(model(facts, "modelId")?),
        "thinking_level_change" => {
            EntryKind::ThinkingLevelChange(short(facts, "thinkingLevel")?.ok_or("has no `thinkingLevel`")?)
        }
        "active_tools_change" => match facts.take("activeToolNames") {
            Some(Fact::Texts(names)) => EntryKind::ActiveToolsChange(names),
            _ => return Err("has no `activeToolNames` that are a list of texts".to_owned()),
        },
        "compaction" => EntryKind::Compaction { first_kept: first_kept(facts)? },
        "branch_summary" => EntryKind::BranchSummary,
        "custom" => EntryKind::Custom { custom_type: short(facts, "customType")? },
        "custom_message" => EntryKind::CustomMessage { custom_type: short(facts, "customType")? },
        "label" => EntryKind::Label { target: facts.required("targetId")?.into(), label: short(facts, "label")? },
        "session_info" => EntryKind::SessionInfo { name: short(facts, "name")? },
        "leaf" => match facts.take("targetId") {
            Some(Fact::Null) => EntryKind::Leaf { target: None },
            Some(Fact::Text(target)) => EntryKind::Leaf { target: Some(target.into()) },
            _ => return Err("has no `targetId` that is a text or null".to_owned()),
        },
        "context_edit" => match facts.take("replacement") {
            Some(Fact::Null | Fact::Object(_)) => EntryKind::ContextEdit { target: facts.required("targetId")?.into() },
            _ => return Err("has no `replacement` that is an object or null".to_owned()),
        },
        "usage" => EntryKind::Usage,
        _ => EntryKind::Other(name.into()),
    })
}

fn message(facts: &mut Facts) -> Result<EntryKind, String> {
    let Some(Fact::Object(mut message)) = facts.take("message") else {
        return Err("has no `message` that is an object".to_owned());
    };
    let role = short(&mut message, "role")?;
    let assistant = role.as_deref() == Some("assistant");
    let model = if assistant { Some(model(&mut message, "model")?) } else { None };
    Ok(EntryKind::Message { role, model })
}

fn model(facts: &mut Facts, id: &str) -> Result<Model, String> {
    Ok(Model { provider: facts.text("provider")?, model_id: facts.text(id)? })
}

/// Version 1 counts lines instead of naming the entry.
fn first_kept(facts: &mut Facts) -> Result<Option<Box<str>>, String> {
    match facts.take("firstKeptEntryIndex") {
        Some(Fact::Whole(ordinal)) if ordinal > 0 => Ok(Some(first_version_id(ordinal).into())),
        _ => short(facts, "firstKeptEntryId"),
    }
}

fn short(facts: &mut Facts, name: &str) -> Result<Option<Box<str>>, String> {
    Ok(facts.text(name)?.map(Into::into))
}
