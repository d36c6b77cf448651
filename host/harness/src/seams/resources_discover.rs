//! `resources-discover`: skills and prompt templates.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::{Decider, Decision, Ruling};

use crate::bus::{HookBus, Trail};
use crate::event::Reason;
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "resources-discover";

/// How many resources a plugin may offer.
const OF_PLUGIN: usize = 256;
/// How many there may be of all plugins.
const OF_ALL: usize = 1024;

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// Instructions for a kind of work.
    Skill,
    /// A prompt for the user to call up.
    PromptTemplate,
}

/// A text that the user can call up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// What kind of text it is.
    pub kind: ResourceKind,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The text.
    pub content: String,
    /// The plugin it is from.
    pub plugin: Arc<str>,
}

/// `resources-discover`: offers skills and prompt templates.
#[async_trait]
pub trait ResourcesDiscover: Send + Sync {
    /// What there is.
    ///
    /// # Errors
    /// When there is no answer.
    async fn discover(&self, reason: Reason, at: &Moment) -> Result<Vec<Resource>, Failure>;
}

impl HookBus {
    /// Asks all plugins. Of two resources of one kind and name the first counts; how many the host left out of a plugin
    /// is reported.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn resources_discover(
        &self,
        reason: Reason,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<Vec<Resource>, Refused> {
        let mut all: Vec<Resource> = Vec::new();
        let mut names = HashSet::new();
        for hook in &self.resources_discover {
            let offered = hook.seam.discover(reason, at).await.and_then(|offered| few(offered, all.len()));
            let Some(offered) = hook.answer(self.at(SEAM), offered, trail)? else { continue };
            if offered.is_empty() {
                hook.passes(SEAM, trail);
                continue;
            }
            hook.changes(SEAM, vec!["resources"], trail);
            let count = offered.len();
            let mut taken = Vec::new();
            for resource in offered {
                match names.insert((resource.kind, resource.name.clone())) {
                    true => all.push(resource),
                    false => taken.push(resource.name),
                }
            }
            if let Some(first) = taken.first() {
                let (plugin, left_out) = (&hook.plugin, taken.len());
                let reason = format!(
                    "{left_out} of the {count} resources of plugin `{plugin}`, whose names are taken (`{first}`{})",
                    if left_out > 1 { " and others" } else { "" }
                );
                trail.push(Decision { by: Decider::Host, seam: SEAM, ruling: Ruling::Block { reason } });
            }
        }
        Ok(all)
    }
}

/// What is offered, unless it is too much beside what there is.
fn few(offered: Vec<Resource>, there: usize) -> Result<Vec<Resource>, Failure> {
    let fault = match offered.len() {
        count if count > OF_PLUGIN => format!("it offers more than {OF_PLUGIN} resources"),
        count if count + there > OF_ALL => format!("with its resources there would be more than {OF_ALL}"),
        _ => return Ok(offered),
    };
    Err(Failure::InvalidAnswer(fault))
}
