//! A model that is asked for a summary. The request is the host's own, without tools. Plugins edit what the model is shown of
//! the conversation as in every other request, and give the key.

use std::sync::Arc;

use futures_util::StreamExt;
use seam_loop::{
    AssistantBlock, AssistantMessage, CancellationToken, ErrorKind, Message, Provider, ProviderError, Request,
    StopReason, StreamEvent,
};

use crate::bus::{HookBus, Trail};
use crate::compaction::SYSTEM;
use crate::failure::Refused;
use crate::harness::retry;
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

/// Who writes summaries.
pub(super) struct Writer<'a> {
    pub(super) provider: &'a dyn Provider,
    pub(super) bus: &'a HookBus,
    pub(super) tell: &'a Tell,
    pub(super) retry: RetrySettings,
    pub(super) abort: &'a CancellationToken,
}

impl Writer<'_> {
    /// Asks for a summary of at most so many tokens. A provider that failed in a way which may pass is asked again.
    pub(super) async fn write(&self, prompt: String, max_tokens: u32) -> Result<String, NoSummary> {
        let prompt = [Arc::new(Message::user(prompt))];
        let mut attempt = 0;
        loop {
            let error = match self.ask(&prompt, max_tokens).await? {
                Ok(answer) => return text(&answer),
                Err(error) => error,
            };
            attempt += 1;
            let wait = match error.kind {
                ErrorKind::Transient { retry_after } => self.retry.wait(attempt, retry_after),
                ErrorKind::Overflow | ErrorKind::Other => None,
            };
            let Some(wait) = wait else { return Err(NoSummary::Provider(error.text)) };
            let again = retry::Again { attempt, of: self.retry.max, wait, error: error.text };
            if !again.after_a_while(self.tell, self.abort).await {
                return Err(NoSummary::Aborted);
            }
        }
    }

    /// One answer, or why the provider gave none.
    async fn ask(
        &self,
        messages: &[Arc<Message>],
        max_tokens: u32,
    ) -> Result<Result<AssistantMessage, ProviderError>, NoSummary> {
        let answer = async {
            let chosen = self.tell.settings.chosen();
            let api_key = self.api_key(&chosen.model.provider).await?;
            let request = Request {
                model: &chosen.model,
                thinking_level: chosen.thinking_level,
                api_key: api_key.as_deref(),
                system_prompt: SYSTEM,
                messages,
                tools: &[],
                max_tokens: Some(max_tokens),
            };
            Ok(self.answer(request).await)
        };
        tokio::select! {
            biased;
            () = self.abort.cancelled() => Err(NoSummary::Aborted),
            answer = answer => answer,
        }
    }

    async fn api_key(&self, provider: &str) -> Result<Option<String>, Refused> {
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let key = self.bus.get_api_key(provider, &at, &mut trail).await;
        self.tell.decided(trail);
        key
    }

    async fn answer(&self, request: Request<'_>) -> Result<AssistantMessage, ProviderError> {
        let mut stream = self.provider.stream(request, self.abort).await?;
        while let Some(event) = stream.next().await {
            let StreamEvent::End(message) = event else { continue };
            return match message.stop_reason {
                StopReason::Error => {
                    let text = message.error_message.unwrap_or_default();
                    Err(ProviderError { text, kind: message.error_kind })
                }
                _ => Ok(*message),
            };
        }
        Err(ProviderError::new("the response ended without its final event"))
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
