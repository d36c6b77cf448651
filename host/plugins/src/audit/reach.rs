//! What a plugin imports, and how it comes to each of it.

use serde::Serialize;

use super::ours;
use crate::contract::{GRANTED_WASI, LIVE_WASI, REACHES};
use crate::grants::{Grant, Grants};
use crate::inspect::{Inspection, Item};
use crate::load::{holds, inert, is_known, live, needed};

/// One import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// Its full name.
    pub import: String,
    /// How the plugin comes to it.
    pub access: Access,
    /// The key of the settings that grants it, if it takes a grant to reach something by it.
    pub grant: Option<Grant>,
    /// What it reaches by it, in general. What that is for this plugin is in [`super::Audit::sees`] and
    /// [`super::Audit::sends`].
    pub reaches: String,
    /// The functions and resources of it that the plugin names, those of instances within it as `INSTANCE/FUNCTION`.
    pub functions: Vec<String>,
}

/// How a plugin comes to an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// This host does not know it: the plugin does not load.
    Unknown,
    /// It takes a grant that is not there: the plugin does not load.
    Missing,
    /// It is granted.
    Granted,
    /// Every plugin has it.
    Always,
    /// It is there and reaches nothing.
    Inert,
}

/// What an import is to this plugin.
pub(super) fn of(import: &Item, inspection: &Inspection, grants: &Grants) -> Reach {
    let grant = needed(import).or_else(|| live(import)).filter(|_| is_known(import));
    let held = grant.is_some_and(|grant| holds(grants, inspection, grant));
    let access = match inert(import) {
        _ if !is_known(import) => Access::Unknown,
        _ if held => Access::Granted,
        Some(_) => Access::Inert,
        None if grant.is_some() => Access::Missing,
        None => Access::Always,
    };
    let reaches = reaches(import, access).unwrap_or_else(|| import.members.join(", "));
    Reach { import: import.name.clone(), access, grant, reaches, functions: import.members.clone() }
}

fn reaches(import: &Item, access: Access) -> Option<String> {
    let path = import.name.split('@').next().unwrap_or_default();
    let wasi = || GRANTED_WASI.iter().chain(LIVE_WASI).find(|(name, ..)| *name == path).map(|(.., reaches)| *reaches);
    let reaches = match access {
        Access::Unknown => None,
        Access::Inert => inert(import),
        Access::Missing | Access::Granted | Access::Always => ours(import)
            .and_then(|interface| REACHES.iter().find(|reach| reach.name == interface))
            .map(|reach| reach.reaches)
            .or_else(wasi),
    };
    reaches.map(str::to_owned)
}
