//! The provider of a scenario: records each request, then lets the script answer.

use async_trait::async_trait;
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Provider, ProviderError, Request};
use seam_providers::Scripted;
use serde_json::{Value, json};

use super::hooks::System;
use super::json::put;
use super::render;
use super::stage::Stage;

/// A provider for one run.
pub(super) struct Asked<'a> {
    pub(super) stage: &'a Stage,
    pub(super) system: &'a System,
    pub(super) script: &'a Scripted,
}

#[async_trait]
impl Provider for Asked<'_> {
    fn names(&self) -> Vec<&str> {
        self.script.names()
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        let messages = self.messages(&request);
        let mut entry = json!({
            "provider": "request",
            "model": request.model.id,
            "thinkingLevel": request.thinking_level,
            "messageCount": messages.len(),
        });
        put(&mut entry, "aborted", abort.is_cancelled().then_some(true));
        let mut asked = json!({
            "model": request.model.id,
            "provider": request.model.provider,
            "thinkingLevel": request.thinking_level,
            "messages": messages,
        });
        put(&mut asked, "apiKey", request.api_key);
        entry["n"] = json!(self.stage.tape().request(asked));
        self.stage.at(entry).await.map_err(ProviderError::new)?;
        self.script.stream(request, abort).await
    }
}

impl Asked<'_> {
    /// What is sent, the prompt and the tools as the message that recordings show.
    fn messages(&self, request: &Request<'_>) -> Vec<Value> {
        let tools: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
        let system = self.system.in_request().then(|| render::system(request.system_prompt, &tools));
        system.into_iter().chain(request.messages.iter().map(|message| render::message(message))).collect()
    }
}
