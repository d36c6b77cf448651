//! `convert-to-llm`: what the model sees of a plugin's own messages.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::message::{CustomMessage, UserMessage};
use seam_loop::{Content, Message};

use crate::bus::{Hook, HookBus, Trail};
use crate::edits::{Shown, owner};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "convert-to-llm";

/// What the model sees of a message; none for nothing.
pub type Conversion = Option<Vec<Content>>;

/// `convert-to-llm`: decides what the model sees of this plugin's own messages.
#[async_trait]
pub trait ConvertToLlm: Send + Sync {
    /// What it sees of each, in the same order.
    ///
    /// # Errors
    /// When there is no decision.
    async fn convert(&self, messages: &[&CustomMessage], at: &Moment) -> Result<Vec<Conversion>, Failure>;
}

impl HookBus {
    /// Turns plugins' messages into what the model sees of them. The owner decides; without one it is their content, as
    /// said by the user.
    ///
    /// # Errors
    /// When a plugin failed that was not set to be skipped.
    pub async fn convert_to_llm(
        &self,
        messages: &[Arc<Message>],
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<Shown, Refused> {
        let mut decided: HashMap<usize, Conversion> = HashMap::new();
        for hook in &self.convert_to_llm {
            let (places, owned): (Vec<usize>, Vec<&CustomMessage>) = owned(messages, &hook.plugin).unzip();
            if owned.is_empty() {
                continue;
            }
            let answers = conversions(hook, &owned, at).await;
            let Some(answers) = hook.answer(self.at(SEAM), answers, trail)? else { continue };
            let differs = |(own, seen): (&&CustomMessage, &Conversion)| seen.as_ref() != Some(&own.content);
            match owned.iter().zip(&answers).any(differs) {
                true => hook.changes(SEAM, vec!["messages"], trail),
                false => hook.passes(SEAM, trail),
            }
            decided.extend(places.into_iter().zip(answers));
        }
        let seen = messages.iter().enumerate().filter_map(|(place, message)| match &**message {
            Message::Custom(custom) => {
                let content = decided.remove(&place).unwrap_or_else(|| Some(custom.content.clone()))?;
                let timestamp = custom.timestamp;
                Some(Arc::new(Message::User(UserMessage { content, timestamp })))
            }
            _ => Some(Arc::clone(message)),
        });
        Ok(seen.collect())
    }
}

fn owned<'a>(
    messages: &'a [Arc<Message>],
    plugin: &'a str,
) -> impl Iterator<Item = (usize, &'a CustomMessage)> + use<'a> {
    messages.iter().enumerate().filter_map(move |(place, message)| match &**message {
        Message::Custom(custom) if owner(&custom.custom_type) == plugin => Some((place, custom)),
        _ => None,
    })
}

async fn conversions(
    hook: &Hook<dyn ConvertToLlm>,
    owned: &[&CustomMessage],
    at: &Moment,
) -> Result<Vec<Conversion>, Failure> {
    let answers = hook.seam.convert(owned, at).await?;
    if answers.len() == owned.len() {
        return Ok(answers);
    }
    let answer = format!("it was asked about {} messages and answered about {}", owned.len(), answers.len());
    Err(Failure::InvalidAnswer(answer))
}
