//! The four hooks of a request.

use std::sync::Arc;

use seam_loop::hooks::{Choice, RequestChange, RequestView};
use seam_loop::{CancellationToken, HookError, Message};
use serde_json::{Value, json};

use super::Recorded;
use crate::conform::edit::{self, Shown};
use crate::conform::{parse, render};

impl Recorded {
    pub(super) async fn request_change(
        &self,
        request: RequestView<'_>,
        abort: &CancellationToken,
    ) -> Result<RequestChange, HookError> {
        let system = self.system.in_context();
        let mut entry = counted(system, request.view.context);
        entry["model"] = json!(request.model.id);
        entry["thinkingLevel"] = json!(request.thinking_level);
        let rule = self.ask("prepareRequest", entry, Some(abort)).await?;
        let set = &rule["set"];
        if set.get("tools").is_some() {
            self.stage.unsupported("`prepareRequest` that changes the tools: they are the host's");
        }
        let messages = set.get("messages").and_then(|edit| self.edited(edit, system, request.view.context));
        let messages = messages.map(|shown| {
            self.system.show_in_context(shown.system);
            shown.messages
        });
        let level = set.get("thinkingLevel").and_then(|level| self.stage.supported(parse::typed(level)));
        let model = set["model"].as_str().map(|id| self.stage.model(id));
        Ok(RequestChange { run: Choice { model, thinking_level: level, messages }, request: Choice::default() })
    }

    pub(super) async fn transformed(
        &self,
        messages: &[Arc<Message>],
        abort: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let system = self.system.in_context();
        self.system.show_in_request(system);
        let rule = self.ask("transformContext", counted(system, messages), Some(abort)).await?;
        Ok(self.request_edit(&rule, system, messages))
    }

    pub(super) async fn converted(&self, messages: &[Arc<Message>]) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        let system = self.system.in_request();
        let rule = self.ask("convertToLlm", counted(system, messages), None).await?;
        let standard = |message: &&Arc<Message>| !matches!(***message, Message::Custom(_));
        let standard: Vec<Arc<Message>> = messages.iter().filter(standard).cloned().collect();
        Ok(self.request_edit(&rule, system, &standard))
    }

    pub(super) async fn api_key(&self, provider: &str) -> Result<Option<String>, HookError> {
        let rule = self.ask("getApiKey", json!({ "provider": provider }), None).await?;
        Ok(rule["return"].as_str().map(str::to_owned))
    }

    /// The messages after a rule's edit, for one request.
    fn request_edit(&self, rule: &Value, system: bool, messages: &[Arc<Message>]) -> Option<Vec<Arc<Message>>> {
        let shown = rule.get("edit").and_then(|edit| self.edited(edit, system, messages))?;
        self.system.show_in_request(shown.system);
        Some(shown.messages)
    }

    pub(super) fn edited(&self, edit: &Value, system: bool, messages: &[Arc<Message>]) -> Option<Shown> {
        self.stage.supported(edit::apply(edit, Shown { system, messages: messages.to_vec() }))
    }
}

/// An entry that counts messages.
fn counted(system: bool, messages: &[Arc<Message>]) -> Value {
    json!({
        "messageCount": messages.len() + usize::from(system),
        "lastRole": render::last_role(system, messages),
    })
}
