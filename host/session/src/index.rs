//! The tree: every entry by id, the leaf, labels and the session's name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::entry::{Entry, EntryKind, Parent};
use crate::line::Parsed;
use crate::lines::Place;

#[cfg(test)]
mod tests;

#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<Entry>,
    by_id: HashMap<Arc<str>, usize>,
    leaf: Option<usize>,
    labels: BTreeMap<Box<str>, Box<str>>,
    name: Option<Box<str>>,
    newer: bool,
}

/// An entry that fits into the tree. Only [`Index::prepare`] makes it.
#[derive(Debug)]
pub(crate) struct Ready {
    entry: Entry,
    newer: bool,
}

impl Index {
    /// Looks an entry's place up. Nothing changes. The error says why it does not fit.
    pub(crate) fn prepare(&self, parsed: Parsed, place: Place) -> Result<Ready, String> {
        let Parsed { id, parent, kind, newer } = parsed;
        if let Some(other) = self.find(&id).and_then(|index| self.get(index)) {
            return Err(format!("has the id `{id}` of line {}", other.line()));
        }
        if let EntryKind::Leaf { target: Some(target) } = &kind
            && self.find(target).is_none()
        {
            return Err(format!("moves the leaf to `{target}`, which is not in the file before it"));
        }
        let parent = match parent {
            None => Parent::Root,
            Some(id) => self.find(&id).map_or(Parent::Missing, Parent::Entry),
        };
        let above = if let Parent::Entry(parent) = parent { self.get(parent) } else { None };
        let depth = above.map_or(0, |above| above.depth + 1);
        Ok(Ready { entry: Entry { id, parent, depth, kind, place }, newer })
    }

    /// Puts an entry into the tree, as the last one.
    pub(crate) fn commit(&mut self, ready: Ready) -> usize {
        let Ready { entry, newer } = ready;
        let index = self.entries.len();
        self.newer |= newer;
        self.leaf = Some(index);
        match &entry.kind {
            EntryKind::Leaf { target } => self.leaf = target.as_deref().and_then(|target| self.find(target)),
            EntryKind::SessionInfo { name } => self.name = name.as_deref().and_then(shown),
            EntryKind::Label { target, label } => match label.as_deref().and_then(shown) {
                Some(label) => drop(self.labels.insert(target.clone(), label)),
                None => drop(self.labels.remove(target)),
            },
            _ => {}
        }
        self.by_id.insert(entry.id.clone(), index);
        self.entries.push(entry);
        index
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn leaf(&self) -> Option<usize> {
        self.leaf
    }

    pub(crate) fn labels(&self) -> &BTreeMap<Box<str>, Box<str>> {
        &self.labels
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether 1.0.3 wrote to the file. Its rules of reduction hold then.
    pub(crate) fn is_newer(&self) -> bool {
        self.newer
    }

    /// The way from the root to an entry.
    pub(crate) fn path(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = leaf;
        while let Some((index, entry)) = next.and_then(|index| Some((index, self.get(index)?))) {
            path.push(index);
            next = if let Parent::Entry(parent) = entry.parent { Some(parent) } else { None };
        }
        path.reverse();
        path
    }
}

/// A label or name without the blanks around it. Nothing if there is nothing else.
fn shown(text: &str) -> Option<Box<str>> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(Into::into)
}
