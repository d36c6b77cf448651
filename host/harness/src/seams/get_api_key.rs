//! `get-api-key`: the key of a provider.

use async_trait::async_trait;

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "get-api-key";

/// The longest key, in bytes.
const LONGEST: usize = 8 << 10;

/// `get-api-key`: may supply the key of a provider.
#[async_trait]
pub trait GetApiKey: Send + Sync {
    /// The key, or none.
    ///
    /// # Errors
    /// When there is no decision.
    async fn get(&self, provider: &str, at: &Moment) -> Result<Option<String>, Failure>;
}

impl HookBus {
    /// Asks one plugin after another; the first key counts and the rest is not asked. No trail holds it. From then on, the
    /// journal hides it; one that cannot be used is no secret.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn get_api_key(&self, provider: &str, at: &Moment, trail: &mut Trail) -> Result<Option<String>, Refused> {
        for hook in &self.get_api_key {
            let key = hook.seam.get(provider, at).await.and_then(usable);
            if let (Some(journal), Ok(Some(key))) = (&self.journal, &key) {
                journal.hide(key);
            }
            match hook.answer(self.at(SEAM), key, trail)? {
                Some(Some(key)) => {
                    hook.changes(SEAM, vec!["key"], trail);
                    return Ok(Some(key));
                }
                Some(None) => hook.passes(SEAM, trail),
                None => {}
            }
        }
        Ok(None)
    }
}

/// A key must fit into a header. What is wrong is said without it.
fn usable(key: Option<String>) -> Result<Option<String>, Failure> {
    let fault = match &key {
        Some(key) if key.is_empty() => "the key is empty".to_owned(),
        Some(key) if key.len() > LONGEST => format!("the key is longer than {} KiB", LONGEST >> 10),
        Some(key) if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
            "the key holds something else than visible ASCII".to_owned()
        }
        _ => return Ok(key),
    };
    Err(Failure::InvalidAnswer(fault))
}
