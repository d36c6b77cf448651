//! `before-agent-start`: what goes with a prompt.

use async_trait::async_trait;
use seam_loop::{Content, Message};

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;
use crate::seams::{NewMessage, few_messages};

const SEAM: &str = "before-agent-start";

/// A prompt that is about to start a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The prompt.
    pub text: String,
    /// Pictures that come with it.
    pub images: Vec<Content>,
    /// The system prompt.
    pub system_prompt: String,
}

/// One change before a run.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptChange {
    /// This message behind the prompt.
    Message(NewMessage),
    /// This system prompt, for this run.
    SystemPrompt(String),
}

/// `before-agent-start`: may add to a prompt and change the system prompt.
#[async_trait]
pub trait BeforeAgentStart: Send + Sync {
    /// What changes.
    ///
    /// # Errors
    /// When there is no decision.
    async fn prepare(&self, prompt: &Prompt, at: &Moment) -> Result<Vec<PromptChange>, Failure>;
}

impl HookBus {
    /// Passes the system prompt through all plugins. Gives the messages they add.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn before_agent_start(
        &self,
        prompt: &mut Prompt,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<Vec<Message>, Refused> {
        let mut messages = Vec::new();
        for hook in &self.before_agent_start {
            let changes = hook.seam.prepare(prompt, at).await;
            let changes =
                changes.and_then(|changes| few_messages(changes, |change| matches!(change, PromptChange::Message(_))));
            let Some(changes) = hook.answer(self.at(SEAM), changes, trail)? else { continue };
            if changes.is_empty() {
                hook.passes(SEAM, trail);
                continue;
            }
            let mut fields = Vec::new();
            for change in changes {
                match change {
                    PromptChange::Message(message) => {
                        fields.push("messages");
                        messages.push(message.from(&hook.plugin));
                    }
                    PromptChange::SystemPrompt(text) => {
                        fields.push("system-prompt");
                        prompt.system_prompt = text;
                    }
                }
            }
            hook.changes(SEAM, fields, trail);
        }
        Ok(messages)
    }
}
