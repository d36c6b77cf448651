//! What a plugin can decide, what it sees and where it can send, read from its binary and the grants in the settings.
//! Nothing is run.
//!
//! It is the worst a plugin could do. An import it does not load without counts as if granted, and that is said. An
//! import of WASI that is there in any case and reaches nothing without its grant counts only with it.

mod deny;
mod difference;
mod leak;
mod power;
mod reach;
mod ways;

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use self::deny::{Denied, Rule};
pub use self::difference::{Difference, Pair, Share};
pub use self::leak::Leak;
pub use self::power::Power;
pub use self::reach::{Access, Reach};
pub use self::ways::{Seen, To, Way};
use crate::contract::{PACKAGE, SEAMS, SeamFacts};
use crate::grants::{Grant, Grants};
use crate::inspect::{Inspection, Item, Producer, inspect};
use crate::load::{LoadProblem, check, plugin_name, read};

/// The answers for one file. `audit.schema.json` beside this crate's `src` describes them as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The plugin's name.
    pub name: String,
    /// SHA-256 of the file, in hex.
    pub digest: String,
    /// Its size in bytes.
    pub size: usize,
    /// Where the file really is, when it was found through a link.
    pub link_to: Option<PathBuf>,
    /// Languages and tools it was made with. Its own word.
    pub made_with: Vec<String>,
    /// Why it will not load, if it will not.
    pub problem: Option<String>,
    /// What it can decide, in the order of a run: its exports.
    pub decides: Vec<Power>,
    /// What it sees, the most telling first.
    pub sees: Vec<Seen>,
    /// Where it can send something, the worst first.
    pub sends: Vec<Way>,
    /// Its imports.
    pub reaches: Vec<Reach>,
    /// Grants in the settings that none of its imports needs.
    pub unused_grants: Vec<Grant>,
    /// The digest that its grants in the settings are bound to, when this file has another one: they do not hold.
    pub grants_for: Option<String>,
    /// Exports that are not ours: they are never called.
    pub ignored_exports: Vec<String>,
    /// Whether it can send what it sees to a place of its choice.
    pub can_leak: Leak,
    /// Why, or why not.
    pub leak: String,
    /// The full names of its exports, and of its imports that are more than types: rules go by them.
    #[serde(skip)]
    pub names: Vec<String>,
}

/// What the settings say that decides what a plugin reaches.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// What it is granted.
    pub grants: &'a Grants,
    /// Folders outside the workspace that the host's tools may use.
    pub outside: &'a [PathBuf],
}

impl<'a> From<&'a Grants> for Given<'a> {
    fn from(grants: &'a Grants) -> Self {
        Self { grants, outside: &[] }
    }
}

impl Audit {
    /// Audits a file, under these settings.
    ///
    /// # Errors
    /// When it is not a component that can be read.
    pub fn of_file<'a>(file: &Path, given: impl Into<Given<'a>>) -> Result<Self, LoadProblem> {
        let inspection = inspect(&read(file)?)?;
        Ok(Self { link_to: link_to(file), ..Self::of(plugin_name(file), &inspection, given) })
    }

    /// Audits what was read from a file, under these settings.
    pub fn of<'a>(name: String, inspection: &Inspection, given: impl Into<Given<'a>>) -> Self {
        let given @ Given { grants, .. } = given.into();
        let seams: Vec<&SeamFacts> = SEAMS.iter().filter(|seam| exports(inspection, seam.name)).collect();
        let used = || inspection.imports.iter().filter(|import| !import.members.is_empty());
        let reaches: Vec<Reach> = used().map(|import| reach::of(import, inspection, grants)).collect();
        let (sees, sends) = (ways::sees(&seams, &reaches, given), ways::sends(&seams, &reaches, given));
        let (can_leak, leak) =
            leak::leak(&leak::Parts { asked: !seams.is_empty(), sees: &sees, sends: &sends, reaches: &reaches });
        Self {
            problem: check(&name, inspection, grants).err().map(|problem| problem.to_string()),
            name,
            digest: inspection.digest.to_string(),
            size: inspection.size,
            link_to: None,
            made_with: made_with(&inspection.producers),
            decides: seams.into_iter().map(Power::of).collect(),
            unused_grants: unused(grants, &reaches),
            grants_for: grants_for(inspection, grants),
            ignored_exports: inspection
                .exports
                .iter()
                .filter(|export| ours(export).is_none())
                .map(whole_name)
                .collect(),
            can_leak,
            leak,
            names: inspection.exports.iter().chain(used()).flat_map(names).cloned().collect(),
            sees,
            sends,
            reaches,
        }
    }

    /// Whether it can leak what another one cannot, or where that one cannot. Without another one: whether it can leak.
    pub fn leaks_more_than(&self, other: Option<&Self>) -> bool {
        let Some(other) = other else { return self.can_leak != Leak::No };
        match self.can_leak.cmp(&other.can_leak) {
            Ordering::Less => true,
            Ordering::Equal => {
                self.can_leak != Leak::No && leak::is_more([&self.sees, &other.sees], [&self.sends, &other.sends])
            }
            Ordering::Greater => false,
        }
    }

    /// Whether the settings grant it anything, be it of use or not.
    pub fn has_grants(&self) -> bool {
        let granted = self.reaches.iter().any(|reach| reach.access == Access::Granted);
        granted || !self.unused_grants.is_empty() || self.grants_for.is_some()
    }
}

fn exports(inspection: &Inspection, seam: &str) -> bool {
    inspection.exports.iter().filter_map(ours).any(|export| export == seam)
}

/// Its interface, when it is one of the contract.
fn ours(item: &Item) -> Option<&str> {
    match item.interface() {
        Some((PACKAGE, interface, _)) => Some(interface),
        _ => None,
    }
}

/// Its name, and those of the instances within it.
fn names(item: &Item) -> impl Iterator<Item = &String> {
    std::iter::once(&item.name).chain(&item.inner)
}

fn whole_name(item: &Item) -> String {
    names(item).map(String::as_str).collect::<Vec<_>>().join("/")
}

/// Where a link leads, through all links there are.
fn link_to(file: &Path) -> Option<PathBuf> {
    let is_link = fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_symlink());
    is_link.then(|| file.canonicalize().ok()).flatten()
}

/// Grants that no import needs.
fn unused(grants: &Grants, reaches: &[Reach]) -> Vec<Grant> {
    let is_used = |grant: &Grant| reaches.iter().any(|reach| reach.grant == Some(*grant));
    Grant::ALL.into_iter().filter(|grant| grants.has(*grant) && !is_used(grant)).collect()
}

fn grants_for(inspection: &Inspection, grants: &Grants) -> Option<String> {
    let digest = inspection.digest.to_string();
    grants.digest.clone().filter(|wanted| !wanted.eq_ignore_ascii_case(&digest))
}

fn made_with(producers: &[Producer]) -> Vec<String> {
    let languages = producers.iter().filter(|producer| producer.field == "language");
    let tools = producers.iter().filter(|producer| producer.field != "language");
    let mut made_with: Vec<String> = Vec::new();
    for producer in languages.chain(tools) {
        // What stands in brackets is a commit or an address.
        let version = producer.version.split(" (").next().unwrap_or_default();
        let text = format!("{} {version}", producer.name).trim().to_owned();
        if !made_with.contains(&text) {
            made_with.push(text);
        }
    }
    made_with
}
