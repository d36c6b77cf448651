//! `before-agent-start`: what goes with a prompt.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{BeforeAgentStart, Prompt, PromptChange};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::before_agent_start as wit;
use crate::convert::content::images;
use crate::convert::message::from_new;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl BeforeAgentStart for Asked {
    async fn prepare(&self, prompt: &Prompt, at: &Moment) -> Result<Vec<PromptChange>, Failure> {
        let images = images(&prompt.images);
        let event = wit::Event { prompt: &prompt.text, images: &images, system_prompt: &prompt.system_prompt };
        let returned = 2 * prompt.system_prompt.len();
        let changes = ask!(&self.0, before_agent_start.call_prepare(event), at at, returning returned)?;
        let changes = changes.into_iter().map(|change| match change {
            wit::Change::Message(message) => from_new(message).map(PromptChange::Message),
            wit::Change::SystemPrompt(text) => Ok(PromptChange::SystemPrompt(text)),
        });
        changes.collect()
    }
}
