//! What a plugin can decide, what it sees and what it can reach, read from its binary. Nothing is run.

use std::path::Path;

use serde::Serialize;

use crate::contract::{PACKAGE, REACHES, SEAMS, SeamFacts, Timing};
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
    /// What it can decide.
    pub decides: Vec<Power>,
    /// What it can reach.
    pub reaches: Vec<Reach>,
    /// Exports that are not ours: they are never called.
    pub ignored_exports: Vec<String>,
    /// Whether it can send what it sees to a place of its choice.
    pub can_leak: bool,
    /// Why, or why not.
    pub leak: String,
}

/// One thing it can decide: an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Power {
    /// The seam.
    pub seam: String,
    /// Before or after the effect.
    pub timing: Timing,
    /// What it sees there.
    pub sees: &'static str,
    /// What it can do there.
    pub power: &'static str,
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
        let (can_leak, leak) = leak(inspection);
        Self {
            name,
            digest: inspection.digest.to_string(),
            size: inspection.size,
            made_with: made_with(&inspection.producers),
            problem: check(inspection).err().map(|problem| problem.to_string()),
            decides: seams(inspection).map(power).collect(),
            reaches: inspection.imports.iter().filter(|import| !import.members.is_empty()).map(reach).collect(),
            ignored_exports: inspection
                .exports
                .iter()
                .filter(|export| !matches!(export.interface(), Some((PACKAGE, ..))))
                .map(|export| export.name.clone())
                .collect(),
            can_leak,
            leak,
        }
    }
}

fn seams(inspection: &Inspection) -> impl Iterator<Item = &'static SeamFacts> {
    let exports = |name: &str| inspection.exports.iter().any(|export| is_seam(export, name));
    SEAMS.iter().filter(move |seam| exports(seam.name))
}

fn is_seam(export: &Item, name: &str) -> bool {
    matches!(export.interface(), Some((PACKAGE, interface, _)) if interface == name)
}

fn power(seam: &'static SeamFacts) -> Power {
    Power { seam: seam.name.to_owned(), timing: seam.timing, sees: seam.sees, power: seam.power }
}

fn reach(import: &Item) -> Reach {
    let ours = match import.interface() {
        Some((PACKAGE, interface, _)) => REACHES.iter().find(|reach| reach.name == interface),
        _ => None,
    };
    let (grant, reaches) = match (ours, inert(import)) {
        (Some(ours), _) => (Grant::Always, ours.reaches.to_owned()),
        (None, Some(nothing)) => (Grant::Inert, nothing.to_owned()),
        (None, None) => (Grant::Missing, import.members.join(", ")),
    };
    Reach { import: import.name.clone(), grant, reaches }
}

/// Whether it has a way out for what it sees. No import is one today; new arguments are.
fn leak(inspection: &Inspection) -> (bool, String) {
    let seen: Vec<&str> = seams(inspection).map(|seam| seam.sees).collect();
    let sees = match seen.iter().find(|sees| sees.contains("results")).or(seen.first()) {
        Some(sees) => format!("it sees {sees}"),
        None => return (false, "it is never asked anything".to_owned()),
    };
    let rewrites = seams(inspection).any(|seam| seam.name == "rewrite-tool-call");
    let why = match rewrites {
        true => format!(
            "{sees} and can write it into the arguments of a call, so into a command that sends it; every gate sees \
             those arguments, and each rewrite is shown"
        ),
        false => format!("{sees} but has no way out; its words reach only the model and you"),
    };
    (rewrites, why)
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
