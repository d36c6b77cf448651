//! What a plugin can decide, what it sees and what it can reach, read from its binary. Nothing is run.

mod deny;
mod difference;
mod leak;

use std::path::Path;

use seam_harness::OnFailure;
use serde::Serialize;

pub use self::deny::{Denied, Rule};
pub use self::difference::{Difference, Pair, Share};
use self::leak::{Parts, leak};
use crate::contract::{Can, PACKAGE, REACHES, SEAMS, SeamFacts, Timing};
use crate::inspect::{Inspection, Item, Producer, inspect};
use crate::load::{LoadProblem, check, inert, plugin_name, read};

/// The answers for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The plugin's name.
    pub name: String,
    /// SHA-256 of the file, in hex.
    pub digest: String,
    /// Its size in bytes.
    pub size: usize,
    /// Languages and tools it was made with. Its own word.
    pub made_with: Vec<String>,
    /// Why it will not load, if it will not.
    pub problem: Option<String>,
    /// What it can decide, in the order of a run.
    pub decides: Vec<Power>,
    /// What it can reach.
    pub reaches: Vec<Reach>,
    /// Exports that are not ours: they are never called.
    pub ignored_exports: Vec<String>,
    /// Whether it can send what it sees to a place of its choice.
    pub can_leak: bool,
    /// Why, or why not.
    pub leak: String,
    /// The full names of its exports, and of its imports that are more than types: rules go by them.
    #[serde(skip)]
    pub names: Vec<String>,
}

/// One thing it can decide: an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Power {
    /// The seam.
    pub seam: String,
    /// When it is asked.
    pub timing: Timing,
    /// What it sees there.
    pub sees: &'static str,
    /// The most it can do there.
    pub can: Can,
    /// The same in words.
    pub power: &'static str,
    /// What its failure does, unless the user says otherwise: `refuse` or `skip`.
    pub on_failure: &'static str,
    /// The same in words.
    pub if_it_fails: &'static str,
}

/// One thing it can reach: an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// The interface.
    pub import: String,
    /// How it comes to it.
    pub grant: Grant,
    /// What it reaches by it.
    pub reaches: String,
}

/// How a plugin comes to an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// Every plugin has it.
    Always,
    /// It is there and reaches nothing.
    Inert,
    /// It is not there: the plugin does not load.
    Missing,
}

impl Audit {
    /// Audits a file.
    ///
    /// # Errors
    /// When it is not a component that can be read.
    pub fn of_file(file: &Path) -> Result<Self, LoadProblem> {
        let inspection = inspect(&read(file)?)?;
        Ok(Self::of(plugin_name(file), &inspection))
    }

    /// Audits what was read from a file.
    pub fn of(name: String, inspection: &Inspection) -> Self {
        let seams: Vec<&SeamFacts> = SEAMS.iter().filter(|seam| exports(inspection, seam.name)).collect();
        let used = || inspection.imports.iter().filter(|import| !import.members.is_empty());
        let imports: Vec<&str> = used().filter_map(ours).collect();
        let (can_leak, leak) = leak(&Parts { seams: &seams, imports: &imports });
        Self {
            name,
            digest: inspection.digest.to_string(),
            size: inspection.size,
            made_with: made_with(&inspection.producers),
            problem: check(inspection).err().map(|problem| problem.to_string()),
            decides: seams.into_iter().map(power).collect(),
            reaches: used().map(reach).collect(),
            ignored_exports: inspection
                .exports
                .iter()
                .filter(|export| ours(export).is_none())
                .map(|export| export.name.clone())
                .collect(),
            can_leak,
            leak,
            names: inspection.exports.iter().chain(used()).map(|item| item.name.clone()).collect(),
        }
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

fn power(seam: &SeamFacts) -> Power {
    Power {
        seam: seam.name.to_owned(),
        timing: seam.timing,
        sees: seam.sees,
        can: seam.can,
        power: seam.power,
        on_failure: match seam.on_failure {
            OnFailure::Refuse => "refuse",
            OnFailure::Skip => "skip",
        },
        if_it_fails: seam.if_it_fails(),
    }
}

fn reach(import: &Item) -> Reach {
    let ours = ours(import).and_then(|interface| REACHES.iter().find(|reach| reach.name == interface));
    let (grant, reaches) = match (ours, inert(import)) {
        (Some(ours), _) => (Grant::Always, ours.reaches.to_owned()),
        (None, Some(nothing)) => (Grant::Inert, nothing.to_owned()),
        (None, None) => (Grant::Missing, import.members.join(", ")),
    };
    Reach { import: import.name.clone(), grant, reaches }
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
