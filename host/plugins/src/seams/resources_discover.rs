//! `resources-discover`: skills and prompt templates.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Resource, ResourceKind, ResourcesDiscover};
use seam_harness::{Failure, Moment, Reason};

use crate::bindings::exports::seam::harness::resources_discover as wit;
use crate::convert::is_name;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl ResourcesDiscover for Asked {
    async fn discover(&self, reason: Reason, at: &Moment) -> Result<Vec<Resource>, Failure> {
        let reason = match reason {
            Reason::Reload => wit::Reason::Reload,
            _ => wit::Reason::Startup,
        };
        let event = wit::Event { session: at.session(), reason };
        let offers = ask!(&self.0, resources_discover.call_discover(event), at at, returning 0)?;
        let offers = offers.into_iter().map(|offer| {
            let (kind, document) = match offer {
                wit::Offer::Skill(document) => (ResourceKind::Skill, document),
                wit::Offer::PromptTemplate(document) => (ResourceKind::PromptTemplate, document),
            };
            if !is_name(&document.name, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
                return Err(Failure::InvalidAnswer("the name of a resource is not one".to_owned()));
            }
            let wit::Document { name, description, content } = document;
            Ok(Resource { kind, name, description, content, plugin: Arc::clone(&self.0.linked.shared.name) })
        });
        offers.collect()
    }
}
