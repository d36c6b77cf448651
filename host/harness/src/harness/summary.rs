//! A model that is asked for a summary. Plugins edit what the model is shown of the conversation as in every other request.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use seam_loop::{AssistantBlock, AssistantMessage, CancellationToken, Message, Provider, StopReason};

use crate::ask::{Asker, NoAnswer, Question};
use crate::bus::HookBus;
use crate::compaction::SYSTEM;
use crate::failure::Refused;
use crate::tell::Tell;
use crate::upkeep::RetrySettings;

/// Why there is no summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSummary {
    /// The user aborted it.
    #[error("it was aborted")]
    Aborted,
    /// A plugin failed that was set to refuse.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The provider failed.
    #[error("the model could not be asked for it: {0}")]
    Provider(String),
    /// It was longer than it may be.
    #[error("the model's summary was cut off because it became too long")]
    CutOff,
    /// The model wants to go on with the work instead.
    #[error("the model called a tool instead of writing it")]
    Called,
    /// Plugins edited everything out.
    #[error("plugins leave nothing of it that the model could be shown")]
    NothingShown,
    /// The model said nothing.
    #[error("the model gave an empty one")]
    Empty,
}

impl From<NoAnswer> for NoSummary {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Aborted => Self::Aborted,
            NoAnswer::Refused(refused) => Self::Refused(refused),
            NoAnswer::Provider(error) => Self::Provider(error),
        }
    }
}

/// Who writes summaries.
pub(super) struct Writer<'a> {
    pub(super) provider: &'a dyn Provider,
    pub(super) bus: &'a HookBus,
    pub(super) tell: &'a Tell,
    pub(super) retry: RetrySettings,
    pub(super) abort: &'a CancellationToken,
}

impl Writer<'_> {
    /// Asks for a summary of at most so many tokens.
    pub(super) async fn write(&self, prompt: String, max_tokens: u32) -> Result<String, NoSummary> {
        let &Self { provider, bus, tell, retry, abort } = self;
        let (alone, asked) = (true, AtomicU32::new(0));
        let asker = Asker { provider, bus, tell, retry, abort, alone, asked };
        let question = Question { system: SYSTEM, messages: &[Arc::new(Message::user(prompt))], max_tokens };
        text(&asker.answer(&question).await?)
    }
}

/// The text of an answer that came to its end.
fn text(answer: &AssistantMessage) -> Result<String, NoSummary> {
    match answer.stop_reason {
        StopReason::Aborted => return Err(NoSummary::Aborted),
        StopReason::Length => return Err(NoSummary::CutOff),
        _ if answer.tool_calls().next().is_some() => return Err(NoSummary::Called),
        _ => {}
    }
    let texts = answer.content.iter().filter_map(|block| match block {
        AssistantBlock::Text { text } => Some(text.trim()),
        AssistantBlock::Thinking { .. } | AssistantBlock::ToolCall(_) => None,
    });
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    if text.is_empty() { Err(NoSummary::Empty) } else { Ok(text) }
}
