//! `before-provider-payload`: the body of a request to a provider, the last thing before it leaves.

use async_trait::async_trait;
use seam_loop::Model;
use serde_json::Value;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

mod patch;

const SEAM: &str = "before-provider-payload";

/// What becomes of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum PayloadReview {
    /// This body instead.
    Replace(Value),
    /// The body after this JSON Patch (RFC 6902).
    Patch(Value),
    /// It stays.
    Keep,
}

/// `before-provider-payload`: may change the body of a request.
#[async_trait]
pub trait BeforeProviderPayload: Send + Sync {
    /// What becomes of it.
    ///
    /// # Errors
    /// When there is no decision.
    async fn review(&self, model: &Model, payload: &Value, at: &Moment) -> Result<PayloadReview, Failure>;
}

impl HookBus {
    /// Passes a body through all plugins; each sees what the one before left.
    ///
    /// # Errors
    /// When a plugin failed that was not set to be skipped.
    pub async fn before_provider_payload(
        &self,
        model: &Model,
        payload: &mut Value,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<(), Refused> {
        for hook in &self.before_provider_payload {
            let reviewed = match hook.seam.review(model, payload, at).await {
                Ok(PayloadReview::Keep) => Ok(None),
                Ok(PayloadReview::Replace(body)) => object(body).map(Some),
                Ok(PayloadReview::Patch(patch)) => patch::patched(payload, patch).and_then(object).map(Some),
                Err(failure) => Err(failure),
            };
            match hook.answer(self.at(SEAM), reviewed, trail)? {
                Some(Some(body)) => {
                    *payload = body;
                    hook.changes(SEAM, vec!["payload"], trail);
                }
                Some(None) => hook.passes(SEAM, trail),
                None => {}
            }
        }
        Ok(())
    }
}

/// A body is an object: every service refuses anything else, with words that do not say whose fault it is.
fn object(body: Value) -> Result<Value, Failure> {
    match body.is_object() {
        true => Ok(body),
        false => Err(Failure::InvalidAnswer("the body is no JSON object".to_owned())),
    }
}
