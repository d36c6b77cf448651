//! What a plugin can decide: its exports.

use seam_harness::OnFailure;
use serde::Serialize;

use crate::contract::{Can, SeamFacts, Timing};

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

impl Power {
    pub(super) fn of(seam: &SeamFacts) -> Self {
        Self {
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
}
