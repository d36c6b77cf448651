//! `before-provider-payload`: the body of a request.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{BeforeProviderPayload, PayloadReview};
use seam_harness::{Failure, Moment};
use seam_loop::Model;
use serde_json::Value;

use crate::bindings::exports::seam::harness::before_provider_payload as wit;
use crate::convert::json;
use crate::convert::model::model;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl BeforeProviderPayload for Asked {
    async fn review(&self, of: &Model, payload: &Value, at: &Moment) -> Result<PayloadReview, Failure> {
        let payload = payload.to_string();
        let event = wit::Event { session: at.session(), model: model(of), payload: &payload };
        let returned = 2 * payload.len();
        Ok(match ask!(&self.0, before_provider_payload.call_review(event), at at, returning returned)? {
            wit::Outcome::Replace(text) => PayloadReview::Replace(json("the payload", &text)?),
            wit::Outcome::Patch(text) => PayloadReview::Patch(json("the patch", &text)?),
            wit::Outcome::Keep => PayloadReview::Keep,
        })
    }
}
