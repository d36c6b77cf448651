//! `complete`: what plugins ask the session's model, within a budget of tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use seam_loop::{AssistantBlock, AssistantMessage, CancellationToken, Message, StopReason, Usage};

use crate::ask::{Asker, NoAnswer, Question};
use crate::compaction::{text_tokens, tokens};
use crate::reach::{Led, Reach, WITHIN, Within};

/// The longest question, and the longest answer, in bytes.
const LONGEST: usize = 1 << 20;

/// What a plugin asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the model is, for this question.
    pub system: String,
    /// What it is asked.
    pub prompt: String,
    /// How many tokens it may answer with.
    pub max_tokens: u32,
}

/// What it answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What it says.
    pub text: String,
    /// Whether it became too long.
    pub cut_off: bool,
    /// How many tokens of the budget it took.
    pub tokens: u32,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotCompleted {
    /// The budget has not enough left. The model was not asked.
    NoBudget,
    /// The model did not answer.
    Failed(String),
}

impl Reach {
    /// How many tokens of its budget a plugin has left.
    pub fn tokens_left(&self, plugin: &str, budget: u32) -> u32 {
        self.accounts.left(plugin, budget)
    }

    /// Asks the session's model for a plugin. It ends when this is dropped; what that cost is not known then, and all that
    /// it could have cost is taken off the budget.
    ///
    /// # Errors
    /// When it is not asked, or does not answer.
    pub async fn complete(
        &self,
        plugin: &Arc<str>,
        budget: u32,
        asked: Asked,
        led: &Led,
    ) -> Result<Completion, NotCompleted> {
        if asked.system.len() + asked.prompt.len() > LONGEST {
            let most = LONGEST >> 20;
            return Err(NotCompleted::Failed(format!("the model was not asked: that is longer than {most} MiB")));
        }
        let prompt = Message::user(asked.prompt);
        let asks = text_tokens(&asked.system) + tokens(&prompt);
        let most = asks + u64::from(asked.max_tokens);
        let mut kept = self.accounts.keep(plugin, budget, most).ok_or(NotCompleted::NoBudget)?;
        let question = Question { system: &asked.system, messages: &[Arc::new(prompt)], max_tokens: asked.max_tokens };
        let (times, answer) = self.answer(&question, led).await;
        match answer {
            Ok(answer) => {
                let last = counted(answer.usage).unwrap_or_else(|| asks + tokens(&Message::Assistant(answer.clone())));
                // What failed before it was asked too.
                let took = last + asks * times.saturating_sub(1);
                kept.takes(took);
                completion(&answer, took)
            }
            Err(why) => {
                kept.takes(asks * times);
                Err(NotCompleted::Failed(why))
            }
        }
    }

    /// How often the model was asked, and its answer or what happened.
    async fn answer(&self, question: &Question<'_>, led: &Led) -> (u64, Result<AssistantMessage, String>) {
        let within = match Within::enter(led) {
            Ok(within) => within,
            Err(why) => return (0, Err(format!("the model was not asked: {why}"))),
        };
        let abort = CancellationToken::new();
        let _ends_it = abort.clone().drop_guard();
        let asker = Asker {
            provider: &*self.provider,
            bus: self.dispatcher.bus(),
            tell: &self.handle.tell,
            retry: self.retry,
            abort: &abort,
            alone: false,
            asked: AtomicU32::new(0),
        };
        let answer = WITHIN.scope(within, Box::pin(asker.answer(question))).await;
        (asker.asked.load(Ordering::Relaxed).into(), answer.map_err(|why| why.to_string()))
    }
}

/// What the provider counted; none when it did not count.
fn counted(usage: Usage) -> Option<u64> {
    let Usage { input, output, cache_read, cache_write, .. } = usage;
    let all = [input, output, cache_read, cache_write].into_iter().map(u64::from).sum();
    (all > 0).then_some(all)
}

fn completion(answer: &AssistantMessage, took: u64) -> Result<Completion, NotCompleted> {
    if answer.stop_reason == StopReason::Aborted {
        return Err(NotCompleted::Failed(NoAnswer::Aborted.to_string()));
    }
    let texts = answer.content.iter().filter_map(|block| match block {
        AssistantBlock::Text { text } => Some(text.as_str()),
        AssistantBlock::Thinking { .. } | AssistantBlock::ToolCall(_) => None,
    });
    let mut text = texts.collect::<Vec<_>>().join("\n\n");
    let is_longer = text.len() > LONGEST;
    text.truncate(text.floor_char_boundary(LONGEST));
    let cut_off = is_longer || answer.stop_reason == StopReason::Length;
    Ok(Completion { text, cut_off, tokens: u32::try_from(took).unwrap_or(u32::MAX) })
}
