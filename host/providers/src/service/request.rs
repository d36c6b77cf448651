//! A request as it is sent: after plugins have seen its headers, its options and its body.

use std::time::Duration;

use seam_loop::{Header, ProviderError, Request, RequestHead, ThinkingLevel};

use super::Service;
use crate::blame::Blame;
use crate::conversation::{Piece, Turn, tokens, turns};
use crate::fault::Fault;
use crate::options::Options;
use crate::protocol::Asked;
use crate::table::Facts;

/// What stands for a user who said nothing.
const GO_ON: &str = "Go on.";
/// The headers of every request.
const ALWAYS: [(&str, &str); 2] = [("content-type", "application/json"), ("accept", "text/event-stream")];
/// So many tokens an answer may have at least, if its model can say as much: what is free is a guess, and a service that has
/// no room for them says so.
const LEAST: u32 = 16_384;

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
        let (secret, headers) = self.all_headers(&request.model.id).partition::<Vec<_>, _>(Header::is_secret);
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

    fn all_headers(&self, model: &str) -> impl Iterator<Item = Header> {
        let fixed = ALWAYS.iter().chain(self.protocol.wire().headers(model));
        let fixed = fixed.map(|(name, value)| Header { name: (*name).to_owned(), value: (*value).to_owned() });
        // What the user sets goes before what is usual.
        let is_set = |header: &Header| self.headers.iter().any(|set| set.name.eq_ignore_ascii_case(&header.name));
        let betas = self.protocol.wire().headers(model).iter().find(|(name, _)| name.ends_with("-beta"));
        let set = self.headers.iter().map(move |Header { name, value }| match betas {
            // Both are wanted.
            Some((beta, own)) if beta.eq_ignore_ascii_case(name) => {
                Header { name: name.clone(), value: format!("{value},{own}") }
            }
            _ => Header { name: name.clone(), value: value.clone() },
        });
        fixed.filter(move |header| !is_set(header)).chain(set)
    }

    fn asked<'a>(&'a self, request: &'a Request<'_>, facts: &'a Facts, options: &Options) -> Asked<'a> {
        let wire = self.protocol.wire();
        let mut turns = turns(request.messages, request.model, facts.images, wire.ids(&self.quirks));
        if !matches!(turns.last(), Some(Turn::User(_) | Turn::Results(_))) {
            // Most services refuse to go on with what their model said itself.
            turns.push(Turn::User(vec![Piece::Text(GO_ON)]));
        }
        // What the user sets is wanted; what the table says a service knows itself.
        let limit = options.max_tokens.or_else(|| self.models.get(&request.model.id)?.output);
        let free = facts.window.saturating_sub(tokens(request.system_prompt, &turns));
        let level = facts.level(request.thinking_level);
        Asked {
            model: &request.model.id,
            thinking: facts.thinking.get(&level),
            thinks: level != ThinkingLevel::Off,
            can_think: facts.thinks(),
            system: request.system_prompt,
            turns,
            tools: request.tools,
            max_tokens: limit.unwrap_or(facts.output.min(free.max(LEAST))),
            is_limited: limit.is_some(),
            temperature: options.temperature,
            cache: options.cache_retention.unwrap_or_default(),
            quirks: &self.quirks,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use seam_loop::{Message, Model, NoHooks};

    use super::*;
    use crate::settings::ProviderSettings;
    use crate::table::PROVIDERS;

    /// How many tokens an answer may have in a conversation of about so many, if so many are wanted.
    fn most(model: &str, tokens: usize, wanted: Option<u32>) -> u32 {
        let settings: ProviderSettings = PROVIDERS.get("anthropic").cloned().unwrap();
        let service = Service::new("anthropic", settings).unwrap();
        let model = Model { provider: "anthropic".to_owned(), id: model.to_owned() };
        let messages = [Arc::new(Message::user("word".repeat(tokens)))];
        let request = Request {
            model: &model,
            thinking_level: ThinkingLevel::High,
            api_key: None,
            system_prompt: "",
            messages: &messages,
            tools: &[],
            max_tokens: wanted,
            hooks: &NoHooks,
        };
        let facts = service.facts(&model.id);
        service.asked(&request, &facts, &Options { max_tokens: wanted, ..Options::default() }).max_tokens
    }

    #[test]
    fn betas_of_the_user_go_together_with_ours() {
        let set = ProviderSettings {
            headers: [("Anthropic-Beta".to_owned(), "mine".to_owned())].into(),
            ..PROVIDERS.get("anthropic").cloned().unwrap()
        };
        let service = Service::new("anthropic", set).unwrap();
        let beta = |model: &str| -> Vec<String> {
            let all = service.all_headers(model).filter(|header| header.name.eq_ignore_ascii_case("anthropic-beta"));
            all.map(|header| header.value).collect()
        };
        assert_eq!(beta("claude-opus-5-5"), ["mine,thinking-binding-controls-2026-08-01"]);
        assert_eq!(beta("claude-opus-5"), ["mine"]);
    }

    #[test]
    fn a_conversation_that_fills_the_window_leaves_room_for_an_answer() {
        assert_eq!(most("claude-sonnet-4-5", 1_000, None), 64_000);
        assert_eq!(most("claude-sonnet-4-5", 150_000, None), 50_000);
        assert_eq!(most("claude-sonnet-4-5", 199_000, None), 16_384);
        // What somebody asks for is asked for.
        assert_eq!(most("claude-sonnet-4-5", 199_000, Some(20_000)), 20_000);
        // Of one of which nothing is known.
        assert_eq!(most("claude-0", 500_000, None), 8_192);
    }
}
