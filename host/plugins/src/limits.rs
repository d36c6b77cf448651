//! What a guest may use per call, and what else the user can set for a plugin.

use std::collections::BTreeMap;
use std::time::Duration;

use seam_harness::OnFailure;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::contract::{self, SeamFacts};

/// What one instance of a plugin may use. All are per call but for memory and tables, which are per instance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Time in milliseconds, host calls included. A patch has it for each MiB of the result.
    pub time_ms: u32,
    /// The same for a tool or a command of the plugin.
    pub tool_time_ms: u32,
    /// Linear memory in MiB, at most [`Limits::MOST_MEMORY_MIB`].
    pub memory_mib: u32,
    /// What it may return, in KiB. A patch may always return twice what it was given.
    pub returned_kib: u32,
    /// Notes a minute; the rest is dropped and counted.
    pub log_per_minute: u32,
}

impl Limits {
    /// The most memory any plugin can be given.
    pub const MOST_MEMORY_MIB: u32 = 1024;
    /// How many elements all tables of an instance may hold.
    pub const TABLE_ELEMENTS: usize = 100_000;

    /// The time limit.
    pub fn time(&self) -> Duration {
        Duration::from_millis(self.time_ms.into())
    }

    /// The time limit of a tool or a command.
    pub fn tool_time(&self) -> Duration {
        Duration::from_millis(self.tool_time_ms.into())
    }

    /// The memory limit in bytes.
    pub fn memory(&self) -> usize {
        (self.memory_mib.min(Self::MOST_MEMORY_MIB) as usize) << 20
    }

    /// How many bytes may come back.
    pub fn returned(&self) -> usize {
        (self.returned_kib as usize) << 10
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { time_ms: 250, tool_time_ms: 5000, memory_mib: 64, returned_kib: 1024, log_per_minute: 1000 }
    }
}

/// How long an instance lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstancePolicy {
    /// It is used again within its session.
    #[default]
    Session,
    /// Each call gets a fresh one.
    Call,
}

/// Whether what a plugin decides counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It does.
    #[default]
    Active,
    /// It is asked beside the others and the journal says what it would have decided; it changes nothing, and what it
    /// offers is not offered.
    Shadow,
}

/// What the user set for one plugin.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Its own settings, which it reads through `config`.
    pub config: Map<String, Value>,
    /// Whether what it decides counts.
    pub mode: Mode,
    /// What its failure means, where the user says so: at every seam, or at some.
    pub on_failure: OnFailureRules,
    /// How long an instance lives.
    pub instance: InstancePolicy,
    /// What it may use.
    pub limits: Limits,
}

/// What a plugin's failure means, as the user set it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected \"refuse\", \"skip\", or a table of seams with one of them each")]
pub enum OnFailureRules {
    /// The same at every seam.
    Everywhere(Word),
    /// At the seams named; the others keep their own rule.
    At(BTreeMap<String, Word>),
}

/// A word of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// What could not be checked is refused.
    Refuse,
    /// It goes on without the plugin.
    Skip,
}

impl Default for OnFailureRules {
    fn default() -> Self {
        Self::At(BTreeMap::new())
    }
}

impl OnFailureRules {
    /// What a failure means at a seam.
    pub fn at(&self, seam: &SeamFacts) -> OnFailure {
        let word = match self {
            Self::Everywhere(word) => Some(word),
            Self::At(seams) => seams.get(seam.name),
        };
        match word {
            Some(Word::Refuse) => OnFailure::Refuse,
            Some(Word::Skip) => OnFailure::Skip,
            None => seam.on_failure,
        }
    }

    /// A name that is no seam, or one where a failure cannot refuse.
    pub fn fault(&self) -> Option<String> {
        let Self::At(seams) = self else { return None };
        seams.iter().find_map(|(name, word)| match contract::seam(name) {
            None => Some(format!("`{name}` is no seam; see `wit/README.md` for their names")),
            Some(seam) if seam.refusal.is_none() && *word == Word::Refuse => {
                Some(format!("a failure at `{name}` cannot refuse anything; leave it out"))
            }
            Some(_) => None,
        })
    }
}
