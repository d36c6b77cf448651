//! One question to a model beside the conversation: without tools, and of what was said only what stands in it. A plugin
//! gives the key, as for every request. A provider that failed in a way which may pass is asked again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::StreamExt;
use seam_loop::{
    AssistantMessage, CancellationToken, ErrorKind, Message, Provider, ProviderError, Request, StopReason, StreamEvent,
};

use crate::bus::{HookBus, Trail};
use crate::failure::Refused;
use crate::harness::Again;
use crate::tell::Tell;
use crate::upkeep::RetrySettings;
use crate::wire::Wire;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// It was aborted.
    #[error("it was aborted")]
    Aborted,
    /// A plugin failed that was set to refuse.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The provider failed.
    #[error("{0}")]
    Provider(String),
}

/// A question.
pub(crate) struct Question<'a> {
    /// What the model is.
    pub(crate) system: &'a str,
    pub(crate) messages: &'a [Arc<Message>],
    /// How long the answer may get.
    pub(crate) max_tokens: u32,
}

/// Who asks.
pub(crate) struct Asker<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) bus: &'a HookBus,
    pub(crate) tell: &'a Tell,
    pub(crate) retry: RetrySettings,
    pub(crate) abort: &'a CancellationToken,
    /// Whether the conversation does nothing else meanwhile.
    pub(crate) alone: bool,
    /// How often the provider was asked.
    pub(crate) asked: AtomicU32,
}

impl Asker<'_> {
    /// The answer.
    pub(crate) async fn answer(&self, question: &Question<'_>) -> Result<AssistantMessage, NoAnswer> {
        let mut attempt = 0;
        loop {
            let error = match self.ask(question).await? {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            attempt += 1;
            let wait = match error.kind {
                ErrorKind::Transient { retry_after } => self.retry.wait(attempt, retry_after),
                ErrorKind::Overflow | ErrorKind::Other => None,
            };
            let Some(wait) = wait else { return Err(NoAnswer::Provider(error.text)) };
            let again = Again { attempt, of: self.retry.max, wait, error: error.text };
            let goes_on = match self.alone {
                true => again.after_a_while(self.tell, self.abort).await,
                false => again.meanwhile(self.tell, self.abort).await,
            };
            if !goes_on {
                return Err(NoAnswer::Aborted);
            }
        }
    }

    /// One answer, or why the provider gave none.
    async fn ask(&self, question: &Question<'_>) -> Result<Result<AssistantMessage, ProviderError>, NoAnswer> {
        let answer = async {
            let chosen = self.tell.settings.chosen();
            let api_key = self.api_key(&chosen.model.provider).await?;
            let request = Request {
                model: &chosen.model,
                thinking_level: chosen.thinking_level,
                api_key: api_key.as_deref(),
                system_prompt: question.system,
                messages: question.messages,
                tools: &[],
                max_tokens: Some(question.max_tokens),
                hooks: &Wire { bus: self.bus, tell: self.tell, abort: self.abort },
            };
            Ok(self.whole(request).await)
        };
        tokio::select! {
            biased;
            () = self.abort.cancelled() => Err(NoAnswer::Aborted),
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

    async fn whole(&self, request: Request<'_>) -> Result<AssistantMessage, ProviderError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
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
