//! What a plugin's new file can do that its old one could not, and the other way round.

use serde::Serialize;

use super::{Access, Audit, Power, Reach};
use crate::load::{LoadError, plugin_name};

/// A plugin's old file and its new one. At least one of them is there.
#[derive(Debug)]
pub struct Pair {
    /// The plugin's name.
    pub name: String,
    /// The old file, if there is one.
    pub old: Option<Result<Audit, LoadError>>,
    /// The new file, if there is one.
    pub new: Option<Result<Audit, LoadError>>,
}

/// What was gained and lost from the old file to the new one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What only the new one has.
    pub gained: Share,
    /// What only the old one has.
    pub lost: Share,
}

/// What one of two files has and the other has not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// What it can decide.
    pub decides: Vec<Power>,
    /// What it can reach.
    pub reaches: Vec<Reach>,
}

impl Pair {
    /// One file beside another, whatever their names are. The new one's name counts.
    pub fn of(old: Result<Audit, LoadError>, new: Result<Audit, LoadError>) -> Self {
        Self { name: name(&new), old: Some(old), new: Some(new) }
    }

    /// The files of two folders, those of one name together, in the order of the names.
    pub fn by_name(mut old: Vec<Result<Audit, LoadError>>, new: Vec<Result<Audit, LoadError>>) -> Vec<Self> {
        let mut pairs = Vec::new();
        for new in new {
            let name = name(&new);
            let same = old.iter().position(|old| self::name(old) == name);
            pairs.push(Self { name, old: same.map(|at| old.remove(at)), new: Some(new) });
        }
        pairs.extend(old.into_iter().map(|old| Self { name: name(&old), old: Some(old), new: None }));
        pairs.sort_by(|one, next| one.name.cmp(&next.name));
        pairs
    }

    /// Whether the new file can leak what the old one cannot, or where it cannot.
    pub fn leaks_more(&self) -> bool {
        let old = self.old.as_ref().and_then(|old| old.as_ref().ok());
        let new = self.new.as_ref().and_then(|new| new.as_ref().ok());
        new.is_some_and(|new| new.leaks_more_than(old))
    }

    /// What was gained and lost. A file that is not there has nothing, nor has an old one that cannot be audited. Of a
    /// new one that cannot be audited nothing is known: it is neither.
    pub fn difference(&self) -> Difference {
        let old = self.old.as_ref().and_then(|old| old.as_ref().ok());
        match &self.new {
            Some(Err(_)) => Difference::default(),
            Some(Ok(new)) => Difference { gained: Share::beyond(new, old), lost: Share::of(old, Some(new)) },
            None => Difference { gained: Share::default(), lost: Share::of(old, None) },
        }
    }
}

impl Share {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.decides.is_empty() && self.reaches.is_empty()
    }

    fn of(one: Option<&Audit>, other: Option<&Audit>) -> Self {
        one.map(|one| Self::beyond(one, other)).unwrap_or_default()
    }

    /// What one has beyond the other.
    fn beyond(one: &Audit, other: Option<&Audit>) -> Self {
        let decides = other.map(|other| other.decides.as_slice()).unwrap_or_default();
        let reaches = other.map(|other| other.reaches.as_slice()).unwrap_or_default();
        Self {
            decides: one.decides.iter().filter(|power| !decides.contains(power)).cloned().collect(),
            reaches: one.reaches.iter().filter_map(|reach| beyond(reach, reaches)).collect(),
        }
    }
}

/// What of an import the others do not have: its functions are those alone. Its version is no reach, nor is one more
/// function by which nothing is reached. What is in force for it and was there without its grant is new whole.
fn beyond(reach: &Reach, others: &[Reach]) -> Option<Reach> {
    let path = |reach: &Reach| reach.import.split('@').next().map(str::to_owned);
    let same: Vec<&Reach> = others.iter().filter(|other| path(other) == path(reach)).collect();
    if !same.is_empty() && reach.access == Access::Inert {
        return None;
    }
    let is_held = |reach: &Reach| matches!(reach.access, Access::Granted | Access::Always);
    let counts = |other: &&&Reach| is_held(other) || !is_held(reach);
    let is_known = |function: &String| same.iter().filter(counts).any(|other| other.functions.contains(function));
    let functions: Vec<String> = reach.functions.iter().filter(|function| !is_known(function)).cloned().collect();
    (!functions.is_empty()).then(|| Reach { functions, ..reach.clone() })
}

fn name(audit: &Result<Audit, LoadError>) -> String {
    match audit {
        Ok(audit) => audit.name.clone(),
        Err(error) => plugin_name(&error.file),
    }
}
