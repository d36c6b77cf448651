//! `get-api-key`: the key of a provider.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::GetApiKey;
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::get_api_key as wit;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl GetApiKey for Asked {
    async fn get(&self, provider: &str, at: &Moment) -> Result<Option<String>, Failure> {
        let event = wit::Event { provider };
        Ok(match ask!(&self.0, get_api_key.call_get(event), at at, returning 0)? {
            wit::Answer::Key(key) => Some(key),
            wit::Answer::Pass => None,
        })
    }
}
