//! Which entries of a branch make the context, and the settings that hold at its end. It is kept up to date entry by
//! entry, and equals what a reading of the file gives.

use crate::entry::{Entry, EntryKind, Model};
use crate::index::Index;

#[cfg(test)]
mod tests;

/// A branch, reduced to what counts at its end.
///
/// Entries stand for themselves until a compaction: then only the entries that it keeps, and its summary before them. The
/// settings are those of the whole branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reduction {
    path: Vec<usize>,
    chosen: Vec<usize>,
    thinking_level: Option<Box<str>>,
    model: Option<Model>,
    active_tools: Option<Vec<String>>,
}

impl Reduction {
    /// The branch that ends in an entry.
    pub(crate) fn of(index: &Index, leaf: Option<usize>) -> Self {
        let mut reduction = Self::default();
        for entry in index.path(leaf) {
            reduction.push(index, entry);
        }
        reduction
    }

    /// Adds an entry that hangs below the last one.
    pub(crate) fn push(&mut self, index: &Index, at: usize) {
        let Some(entry) = index.get(at) else { return };
        match &entry.kind {
            EntryKind::ThinkingLevelChange(level) => self.thinking_level = Some(level.clone()),
            EntryKind::ModelChange(model) | EntryKind::Message { model: Some(model), .. } => {
                self.model = Some(model.clone());
            }
            EntryKind::ActiveToolsChange(names) => self.active_tools = Some(names.clone()),
            _ => {}
        }
        if let EntryKind::Compaction { first_kept } = &entry.kind {
            self.chosen = self.kept(index, first_kept.as_deref());
            self.chosen.insert(0, at);
        } else {
            self.chosen.push(at);
        }
        self.path.push(at);
    }

    /// What a compaction keeps of the entries before it.
    fn kept(&self, index: &Index, first: Option<&str>) -> Vec<usize> {
        let first = first.and_then(|first| index.find(first));
        let depth = first.and_then(|first| index.get(first)).map(|first| first.depth);
        let on_path = depth.and_then(|depth| self.path.get(depth..)).filter(|kept| kept.first() == first.as_ref());
        let stays = |at: &usize| !index.is_newer() || index.get(*at).is_some_and(stays_in_newer);
        on_path.unwrap_or_default().iter().copied().filter(stays).collect()
    }

    /// The entries from the root to the leaf.
    pub(crate) fn path(&self) -> &[usize] {
        &self.path
    }

    /// The entries of the context, in its order. Not all of them add a message.
    pub(crate) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The thinking level at the end: `off` if none was chosen.
    pub fn thinking_level(&self) -> &str {
        self.thinking_level.as_deref().unwrap_or("off")
    }

    /// The model that was chosen or that answered last.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// The tools that were chosen. Nothing if that was never recorded.
    pub fn active_tools(&self) -> Option<&[String]> {
        self.active_tools.as_deref()
    }
}

/// In the 1.0.3 dialect a compaction carries the system message, and stands for earlier compactions too.
fn stays_in_newer(entry: &Entry) -> bool {
    !entry.kind.is_message_of("system") && !matches!(entry.kind, EntryKind::Compaction { .. })
}
