//! From the provider's hooks to the plugins': what goes to a model's service, and the head of what comes back.

use async_trait::async_trait;
use seam_loop::{CancellationToken, Header, HookError, Model, ProviderHooks, RequestHead};
use serde_json::Value;

use crate::bus::{HookBus, Trail};
use crate::event::SessionEvent;
use crate::failure::Refused;
use crate::seams::ProviderRequest;
use crate::tell::Tell;
use crate::texts;

/// The plugins of a session, as a provider asks them about one request. A seam that nobody exports is not even looked at.
pub(crate) struct Wire<'a> {
    pub(crate) bus: &'a HookBus,
    pub(crate) tell: &'a Tell,
    pub(crate) abort: &'a CancellationToken,
}

impl Wire<'_> {
    /// Waits for plugins, but not after an abort: nothing is sent then, whatever they say.
    async fn unless_aborted(&self, answer: impl Future<Output = Result<(), Refused>>) -> Result<(), Refused> {
        tokio::select! {
            biased;
            () = self.abort.cancelled() => Ok(()),
            answer = answer => answer,
        }
    }

    fn settle(&self, trail: Trail, answer: Result<(), Refused>) -> Result<(), HookError> {
        self.tell.decided(trail);
        answer.map_err(|refused| HookError(texts::not_sent(&refused)))
    }
}

#[async_trait]
impl ProviderHooks for Wire<'_> {
    fn hide(&self, key: &str) {
        self.bus.journal.iter().for_each(|journal| journal.hide(key));
    }

    async fn before_request(&self, head: &mut RequestHead<'_>) -> Result<(), HookError> {
        if self.bus.before_provider_request.is_empty() {
            return Ok(());
        }
        let at = self.tell.conversation.moment();
        let (headers, options) = (std::mem::take(&mut head.headers), std::mem::take(&mut head.options));
        let mut request = ProviderRequest { model: head.model.clone(), headers, options };
        let mut trail = Trail::new();
        let asked = self.bus.before_provider_request(&mut request, head.check, &at, &mut trail);
        let answer = self.unless_aborted(asked).await;
        (head.headers, head.options) = (request.headers, request.options);
        self.settle(trail, answer)
    }

    async fn before_payload(&self, model: &Model, payload: &mut Value) -> Result<(), HookError> {
        if self.bus.before_provider_payload.is_empty() {
            return Ok(());
        }
        let at = self.tell.conversation.moment();
        let mut trail = Trail::new();
        let answer = self.unless_aborted(self.bus.before_provider_payload(model, payload, &at, &mut trail)).await;
        self.settle(trail, answer)
    }

    fn after_response(&self, model: &Model, status: u16, headers: Vec<Header>) {
        self.tell.tell(SessionEvent::response(model.clone(), status, headers));
    }
}

#[cfg(test)]
mod tests;
