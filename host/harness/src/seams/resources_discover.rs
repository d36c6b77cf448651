//! `resources-discover`: skills and prompt templates.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::Ruling;

use crate::bus::{HookBus, Trail};
use crate::event::Reason;
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "resources-discover";

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Asks all plugins. Of two resources of one kind and name the first counts, and the other is reported.
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
        for hook in &self.resources_discover {
            let Some(offered) = hook.answer(SEAM, hook.seam.discover(reason, at).await, trail)? else { continue };
            if offered.is_empty() {
                hook.passes(SEAM, trail);
                continue;
            }
            hook.changes(SEAM, vec!["resources"], trail);
            for resource in offered {
                match all.iter().find(|other| (other.kind, &other.name) == (resource.kind, &resource.name)) {
                    None => all.push(resource),
                    Some(first) => {
                        let failure = format!(
                            "`{}` is already offered by plugin `{}`, so its own is left out",
                            first.name, first.plugin
                        );
                        hook.rules(SEAM, Ruling::Failure { failure, refused: false }, trail);
                    }
                }
            }
        }
        Ok(all)
    }
}
