//! What a guest may use per call, and what else the user can set for a plugin.

use std::time::Duration;

use seam_harness::OnFailure;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What one instance of a plugin may use. All are per call but for memory and tables, which are per instance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Time in milliseconds, host calls included.
    pub time_ms: u32,
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
        Self { time_ms: 250, memory_mib: 64, returned_kib: 1024, log_per_minute: 1000 }
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

/// What the user set for one plugin.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Its own settings, which it reads through `config`.
    pub config: Map<String, Value>,
    /// What its failure means.
    #[serde(deserialize_with = "on_failure")]
    pub on_failure: OnFailure,
    /// How long an instance lives.
    pub instance: InstancePolicy,
    /// What it may use.
    pub limits: Limits,
}

fn on_failure<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<OnFailure, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        Refuse,
        Skip,
    }
    Ok(match Word::deserialize(deserializer)? {
        Word::Refuse => OnFailure::Refuse,
        Word::Skip => OnFailure::Skip,
    })
}
