//! What a guest may use per call, and what else the user can set for a plugin.

mod on_failure;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::on_failure::{OnFailureRules, Word};
use crate::grants::Grants;

/// What one instance of a plugin may use. All are per call but for memory and tables, which are per instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How often it may call the host through the imports of the contract. Those of WASI are not counted: time and handles
    /// bound them.
    pub host_calls: u32,
    /// How long it may wait for the network, in milliseconds. That is not counted as its time. All waiting of a call
    /// together takes no longer than this, `nested-ms` and `user-ms` one after the other.
    pub network_ms: u32,
    /// How long it may wait for one call of a tool, a program or the model, in milliseconds. Not its time either.
    pub nested_ms: u32,
    /// How long it may wait for one answer of the user, in milliseconds. Not its time either.
    pub user_ms: u32,
    /// How much it may keep in `state`, in KiB.
    pub state_kib: u32,
}

impl Limits {
    /// The most memory any plugin can be given.
    pub const MOST_MEMORY_MIB: u32 = 1024;
    /// How many elements all tables of an instance may hold.
    pub const TABLE_ELEMENTS: usize = 100_000;
    /// How many handles an instance may hold: streams, timers and the like of WASI, and its own resources.
    pub const HANDLES: usize = 256;

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

    /// How long it may wait for the network in a call.
    pub fn network(&self) -> Duration {
        Duration::from_millis(self.network_ms.into())
    }

    /// How long it may wait for a call of a tool, a program or the model.
    pub fn nested(&self) -> Duration {
        Duration::from_millis(self.nested_ms.into())
    }

    /// How long it may wait for an answer of the user.
    pub fn user(&self) -> Duration {
        Duration::from_millis(self.user_ms.into())
    }

    /// How long all waiting of a call may take together. What would wait longer is given up at once.
    pub fn waiting(&self) -> Duration {
        self.network() + self.nested() + self.user()
    }

    /// How many bytes of state it may keep.
    pub fn state(&self) -> usize {
        (self.state_kib as usize) << 10
    }

    /// How many bytes may come back.
    pub fn returned(&self) -> usize {
        (self.returned_kib as usize) << 10
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time_ms: 250,
            tool_time_ms: 5000,
            memory_mib: 64,
            returned_kib: 1024,
            log_per_minute: 1000,
            host_calls: 100_000,
            network_ms: 30_000,
            nested_ms: 120_000,
            user_ms: 300_000,
            state_kib: 64,
        }
    }
}

/// How long an instance lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstancePolicy {
    /// It is used again within its session.
    #[default]
    Session,
    /// Each call gets a fresh one.
    Call,
}

/// Whether what a plugin decides counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// What it may reach.
    pub grants: Grants,
}
