//! Who decided what about a tool call: the trail that goes with each result.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Decider {
    /// The host's own rules.
    Host,
    /// The user, asked by a gate.
    User,
    /// A plugin, by name.
    Plugin(Arc<str>),
}

/// What was decided. A failure is not a decision: it has a case of its own and says what the host did about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Ruling {
    /// Nothing to say.
    Proceed,
    /// New arguments.
    Rewrite {
        /// The arguments from here on.
        arguments: Value,
    },
    /// The call must not run.
    Block {
        /// Why.
        reason: String,
    },
    /// What the user said goes no further.
    Handled {
        /// What the user reads instead.
        reply: String,
    },
    /// The user has to say.
    Ask {
        /// What the user is asked.
        question: String,
    },
    /// What the seam is about was changed.
    Change {
        /// Which parts of it.
        fields: Vec<&'static str>,
    },
    /// The result was withheld.
    Withhold {
        /// Why.
        reason: String,
    },
    /// There was no decision: the plugin failed.
    Failure {
        /// How, in words that hold nothing of the call's data.
        failure: String,
        /// Whether the host refused because of it (otherwise it went on without this plugin).
        refused: bool,
    },
}

/// One entry of the trail.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Who.
    pub by: Decider,
    /// At which seam, by its name in the contract.
    pub seam: &'static str,
    /// What.
    pub ruling: Ruling,
}
