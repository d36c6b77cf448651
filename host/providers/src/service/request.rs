//! A request as it is sent: after plugins have seen its headers, its options and its body.

use std::time::Duration;

use seam_loop::{Header, ProviderError, Request, RequestHead, ThinkingLevel};

use super::Service;
use crate::blame::Blame;
use crate::conversation::{tokens, turns};
use crate::fault::Fault;
use crate::options::Options;
use crate::protocol::Asked;
use crate::table::Facts;

/// The headers of every request.
const ALWAYS: [(&str, &str); 2] = [("content-type", "application/json"), ("accept", "text/event-stream")];
/// The fewest tokens an answer is given room for.
const LEAST: u32 = 1024;

/// A request that can be sent.
pub(super) struct Ready {
    pub(super) headers: Vec<Header>,
    pub(super) body: Vec<u8>,
    pub(super) silence: Duration,
    pub(super) facts: Facts,
}

impl Service {
    /// Makes the request and asks plugins about it.
    pub(super) async fn ready(&self, request: &Request<'_>, blame: &Blame) -> Result<Ready, ProviderError> {
        let refused = |error: seam_loop::HookError| ProviderError::new(error.to_string());
        let facts = self.facts(&request.model.id);
        // What carries a key is nobody's business.
        let (secret, headers) = self.all_headers().partition::<Vec<_>, _>(Header::is_secret);
        let check = |options: &_| Options::of(options).map(drop);
        let options = Options { max_tokens: request.max_tokens, ..Options::default() }.map();
        let mut head = RequestHead { model: request.model, headers, options, check: &check };
        request.hooks.before_request(&mut head).await.map_err(refused)?;
        let options = Options::of(&head.options).map_err(ProviderError::new)?;
        let headers = head.headers.into_iter().chain(secret).collect();
        let mut body = self.protocol.wire().body(&self.asked(request, &facts, &options));
        request.hooks.before_payload(request.model, &mut body).await.map_err(refused)?;
        let body = serde_json::to_vec(&body).map_err(|error| blame.error(&Fault::request(error.to_string())))?;
        let silence = options.timeout_ms.map_or(self.silence, |millis| Duration::from_millis(millis.into()));
        Ok(Ready { headers, body, silence, facts })
    }

    fn all_headers(&self) -> impl Iterator<Item = Header> {
        let fixed = ALWAYS.iter().chain(self.protocol.wire().headers());
        let fixed = fixed.map(|(name, value)| Header { name: (*name).to_owned(), value: (*value).to_owned() });
        // What the user sets goes before what is usual.
        let is_set = |header: &Header| self.headers.iter().any(|set| set.name.eq_ignore_ascii_case(&header.name));
        fixed.filter(move |header| !is_set(header)).chain(self.headers.iter().cloned())
    }

    fn asked<'a>(&'a self, request: &'a Request<'_>, facts: &'a Facts, options: &Options) -> Asked<'a> {
        let wire = self.protocol.wire();
        let turns = turns(request.messages, request.model, facts.images, wire.ids(&self.quirks));
        let room = facts.window.saturating_sub(tokens(request.system_prompt, &turns)).max(LEAST);
        let most = options.max_tokens.unwrap_or(facts.output);
        let level = facts.level(request.thinking_level);
        Asked {
            model: &request.model.id,
            thinking: facts.thinking.get(&level),
            thinks: level != ThinkingLevel::Off,
            can_think: facts.thinks(),
            system: request.system_prompt,
            turns,
            tools: request.tools,
            max_tokens: most.min(room),
            is_limited: options.max_tokens.is_some(),
            temperature: options.temperature,
            cache: options.cache_retention.unwrap_or_default(),
            quirks: &self.quirks,
        }
    }
}
