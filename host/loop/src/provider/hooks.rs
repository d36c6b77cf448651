//! Who is asked about what goes to a provider, and told what comes back.

use std::fmt;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::hooks::HookError;
use crate::provider::Model;

/// A header of a request or a response.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What stands in the name of a header that carries a key, or whatever else lets somebody in: `Authorization`,
/// `X-Api-Key`, `Set-Cookie`, `X-Amz-Security-Token`.
const SECRET: [&str; 8] = ["auth", "cookie", "credential", "jwt", "key", "pass", "secret", "signature"];

/// What tells of a header with `token` in its name that it counts tokens, and is none.
const COUNTS: [&str; 2] = ["ratelimit", "rate-limit"];

/// The value of one that may carry a key is not shown.
impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.is_secret() { "[secret]" } else { &self.value };
        f.debug_struct("Header").field("name", &self.name).field("value", &value).finish()
    }
}

impl Header {
    /// Whether it may carry a key, by its name. Hooks neither see nor set such a one, of a request or of a response.
    pub fn is_secret(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        has(&SECRET) || (name.contains("token") && !has(&COUNTS))
    }
}

/// A request whose body is not made yet. What carries the key is not in it.
pub struct RequestHead<'a> {
    /// The model.
    pub model: &'a Model,
    /// The headers.
    pub headers: Vec<Header>,
    /// The options, by name.
    pub options: Map<String, Value>,
    /// Says what is wrong with options that cannot be used.
    pub check: CheckOptions<'a>,
}

/// Says what is wrong with options that cannot be used.
pub type CheckOptions<'a> = &'a (dyn Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync);

/// Who takes part between a provider and its service. A provider asks in the order of these functions, once for each
/// request; nothing is sent before the last has answered.
#[async_trait]
pub trait ProviderHooks: Send + Sync {
    /// This key is about to be used: it is to stand in no record.
    fn hide(&self, key: &str) {
        let _nothing_is_recorded = key;
    }

    /// May change headers and options.
    ///
    /// # Errors
    /// When the request is not to be sent.
    async fn before_request(&self, head: &mut RequestHead<'_>) -> Result<(), HookError> {
        let _as_it_is = head;
        Ok(())
    }

    /// May change the body: the last thing before it leaves.
    ///
    /// # Errors
    /// When the request is not to be sent.
    async fn before_payload(&self, model: &Model, payload: &mut Value) -> Result<(), HookError> {
        let _as_it_is = (model, payload);
        Ok(())
    }

    /// The head of a response arrived.
    fn after_response(&self, model: &Model, status: u16, headers: Vec<Header>) {
        let _nobody_watches = (model, status, headers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_tokens_is_no_secret_and_what_else_speaks_of_one_is() {
        let is_secret = |name: &str| Header { name: name.to_owned(), value: String::new() }.is_secret();
        for name in
            ["anthropic-ratelimit-tokens-remaining", "X-RateLimit-Reset-Tokens", "x-rate-limit-token-count", "etag"]
        {
            assert!(!is_secret(name), "{name}");
        }
        for name in ["x-gateway-token", "Authorization", "x-ratelimit-api-key", "x-ratelimit-auth-token", "Set-Cookie"]
        {
            assert!(is_secret(name), "{name}");
        }
    }
}
