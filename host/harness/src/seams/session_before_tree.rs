//! `session-before-tree`: whether the user moves in the session's tree, and what is kept of the branch that is left.

use std::sync::Arc;

use async_trait::async_trait;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Stopped};
use crate::moment::Moment;
use crate::seams::{Permission, permission};

const SEAM: &str = "session-before-tree";

/// A move that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeMove {
    /// The id of the entry the user goes to.
    pub target: String,
    /// The id of the last entry of the branch that is left.
    pub old_leaf: Option<String>,
    /// How many entries a summary would stand for.
    pub entries: u32,
    /// Whether the user wants a summary.
    pub wants_summary: bool,
    /// What the user wants it to hold.
    pub instructions: Option<String>,
}

/// One change to a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeChange {
    /// This summary of the branch.
    Summary(String),
    /// What the summary should hold.
    Instructions(String),
    /// A label.
    Label(String),
}

/// What becomes of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeOutcome {
    /// It is not made, for this reason.
    Cancel(String),
    /// It is made with these changes.
    Change(Vec<TreeChange>),
    /// Nothing against it.
    Proceed,
}

/// All changes to a move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeChanges {
    /// The summary and who supplied it.
    pub summary: Option<(Arc<str>, String)>,
    /// What the summary should hold.
    pub instructions: Option<String>,
    /// A label.
    pub label: Option<String>,
}

/// `session-before-tree`: may cancel or change a move.
#[async_trait]
pub trait SessionBeforeTree: Send + Sync {
    /// What becomes of it.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, to: &TreeMove, at: &Moment) -> Result<TreeOutcome, Failure>;
}

impl HookBus {
    /// Asks all plugins; the first that cancels stops. The last value of each field stands.
    ///
    /// # Errors
    /// Who stopped it.
    pub async fn session_before_tree(
        &self,
        to: &TreeMove,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<TreeChanges, Stopped> {
        let mut all = TreeChanges::default();
        for hook in &self.session_before_tree {
            let answer = match hook.seam.decide(to, at).await {
                Ok(TreeOutcome::Change(changes)) if !hook.shadow => {
                    let mut fields = Vec::new();
                    for change in changes {
                        fields.push(all.take(change, &hook.plugin));
                    }
                    hook.changes(SEAM, fields, trail);
                    continue;
                }
                Ok(TreeOutcome::Cancel(reason)) => Ok(Permission::Cancel(reason)),
                Ok(TreeOutcome::Change(_) | TreeOutcome::Proceed) => Ok(Permission::Proceed),
                Err(failure) => Err(failure),
            };
            permission(hook, self.at(SEAM), answer, trail)?;
        }
        Ok(all)
    }
}

impl TreeChanges {
    fn take(&mut self, change: TreeChange, plugin: &Arc<str>) -> &'static str {
        match change {
            TreeChange::Summary(text) => {
                self.summary = Some((Arc::clone(plugin), text));
                "summary"
            }
            TreeChange::Instructions(text) => {
                self.instructions = Some(text);
                "instructions"
            }
            TreeChange::Label(text) => {
                self.label = Some(text);
                "label"
            }
        }
    }
}
