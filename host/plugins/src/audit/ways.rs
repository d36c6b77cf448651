//! What a plugin sees and where it can send something, by its exports and imports together.

mod given;
mod sees;
mod sends;

use serde::Serialize;

pub(super) use self::sees::sees;
pub(super) use self::sends::sends;
use super::reach::{Access, Reach};
use crate::contract::{PACKAGE, Sight};
use crate::grants::Grant;

/// Something a plugin sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// What it is.
    pub what: String,
    /// The seam or the import that it sees it by.
    pub by: String,
    /// Whether that takes a grant which is not there.
    pub if_granted: bool,
    /// How much that is.
    #[serde(skip)]
    pub(super) sight: Sight,
}

/// A way to send something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Way {
    /// To what kind of place.
    pub to: To,
    /// What it can send, and where to.
    pub what: String,
    /// The seams or the import that it sends it by.
    pub by: Vec<String>,
    /// Whether what it sees can leave by it for a place of the plugin's choice.
    pub leaks: bool,
    /// Whether that takes a grant which is not there.
    pub if_granted: bool,
    /// The place, as the end of a sentence. Empty when nothing leaks by it.
    #[serde(skip)]
    pub(super) place: String,
}

/// A kind of place, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum To {
    /// Hosts.
    Network,
    /// Programs.
    Programs,
    /// Tools.
    Tools,
    /// Files.
    Files,
    /// The arguments of calls that others make.
    Calls,
    /// The provider of a model.
    Provider,
    /// An account with the provider, by its key.
    Account,
    /// How the run goes on.
    Run,
    /// The model.
    Model,
    /// The session's file.
    Session,
    /// The user.
    User,
}

/// Something by which a plugin reaches something: an import of the contract, or several of WASI that belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through<'a> {
    Contract(&'a str),
    Http,
    Files,
    Variables,
    Clock,
    Random,
}

impl Through<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Contract(interface) => interface,
            Self::Http => "wasi:http",
            Self::Files => "wasi:filesystem",
            Self::Variables => "wasi:cli/environment",
            Self::Clock => "wasi:clocks",
            Self::Random => "wasi:random",
        }
    }
}

/// What a plugin reaches something through, each once, and whether that takes a grant which is not there.
fn through(reaches: &[Reach]) -> Vec<(Through<'_>, bool)> {
    let mut all = Vec::new();
    for reach in reaches {
        let if_granted = match reach.access {
            Access::Unknown | Access::Inert => continue,
            Access::Missing => true,
            Access::Granted | Access::Always => false,
        };
        let Some(through) = one(reach) else { continue };
        if !all.contains(&(through, if_granted)) {
            all.push((through, if_granted));
        }
    }
    all
}

fn one(reach: &Reach) -> Option<Through<'_>> {
    let path = reach.import.split('@').next().unwrap_or_default();
    if let Some((PACKAGE, interface)) = path.split_once('/') {
        return Some(Through::Contract(interface));
    }
    match reach.grant? {
        // The types alone send nothing.
        Grant::Http => (path == "wasi:http/outgoing-handler").then_some(Through::Http),
        Grant::Fs => Some(Through::Files),
        Grant::Env => Some(Through::Variables),
        Grant::Clock => Some(Through::Clock),
        Grant::Random => Some(Through::Random),
        _ => None,
    }
}
