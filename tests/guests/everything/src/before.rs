//! The nine seams before a request, but the observer among them.

use seam::before_agent_start::{self, BeforeAgentStart, Prompt};
use seam::before_provider_payload::{self, BeforeProviderPayload, Payload};
use seam::before_provider_request::{self, BeforeProviderRequest};
use seam::convert_to_llm::{Conversion, ConvertToLlm};
use seam::get_api_key::{Answer, GetApiKey};
use seam::input::{self, Input, Said};
use seam::prepare_request::{self, PrepareRequest, Scope};
use seam::transform_context::{Context, TransformContext};
use seam::{CustomMessage, Edit, Message};

use crate::Everything;
use crate::deed::Facts;

impl Input for Everything {
    fn receive(&mut self, said: &Said) -> input::Outcome {
        let Some(deed) = self.deed("input", said, Facts::default()) else { return input::Outcome::Pass };
        match deed.what.as_str() {
            "replace" => said.replaced(deed.text(&said.text)),
            "handled" => input::Outcome::handled(deed.text(&said.text)),
            _ => deed.nothing(input::Outcome::Pass),
        }
    }
}

impl BeforeAgentStart for Everything {
    fn prepare(&mut self, prompt: &Prompt) -> Vec<before_agent_start::Change> {
        use before_agent_start::Change;
        let Some(deed) = self.deed("before-agent-start", prompt, Facts::default()) else { return Vec::new() };
        let system =
            deed.system_prompt.iter().map(|text| Change::system_prompt(text.replace("{}", &prompt.system_prompt)));
        deed.nothing(deed.message().into_iter().map(Change::Message).chain(system).collect())
    }
}

impl PrepareRequest for Everything {
    fn prepare(&mut self, request: &prepare_request::Request) -> Vec<prepare_request::Change> {
        use prepare_request::Change;
        let facts = Facts { turn: Some(request.turn), ..Facts::default() };
        let Some(deed) = self.deed("prepare-request", request, facts) else { return Vec::new() };
        let scope = match deed.scope.as_deref() {
            Some("run") => Scope::Run,
            _ => Scope::Request,
        };
        let edits = Some(deed.edits()).filter(|edits| !edits.is_empty());
        let context = edits.into_iter().map(|edits| Change::context(edits, scope));
        let model = deed.model().into_iter().map(|model| Change::model(model, scope));
        let level = deed.thinking_level().into_iter().map(|level| Change::thinking_level(level, scope));
        deed.nothing(context.chain(model).chain(level).collect())
    }
}

impl TransformContext for Everything {
    fn transform(&mut self, context: &Context) -> Vec<Edit> {
        let Some(deed) = self.deed("transform-context", context, Facts::default()) else { return Vec::new() };
        deed.nothing(deed.edits())
    }
}

impl ConvertToLlm for Everything {
    fn convert(&mut self, message: &CustomMessage) -> Conversion {
        let text = Message::Custom(message.clone()).text().into_owned();
        let Some(deed) = self.deed("convert-to-llm", message, Facts::default()) else { return Conversion::text(text) };
        match deed.what.as_str() {
            "omit" => Conversion::Omit,
            "content" => Conversion::text(deed.text(&text)),
            _ => deed.nothing(Conversion::text(text)),
        }
    }
}

impl GetApiKey for Everything {
    fn get(&mut self, provider: &str) -> Answer {
        let facts = Facts { provider: Some(provider), ..Facts::default() };
        let Some(deed) = self.deed("get-api-key", &provider, facts) else { return Answer::Pass };
        match deed.what.as_str() {
            "key" => Answer::Key(deed.text(provider)),
            _ => deed.nothing(Answer::Pass),
        }
    }
}

impl BeforeProviderRequest for Everything {
    fn patch(&mut self, request: &before_provider_request::Request) -> Vec<before_provider_request::Change> {
        use before_provider_request::Change;
        let Some(deed) = self.deed("before-provider-request", request, Facts::default()) else { return Vec::new() };
        let unheaded = deed.delete_header.iter().map(Change::delete_header);
        let headed = deed.set_header.iter().map(|(name, value)| Change::set_header(name, value));
        let unset = deed.delete_option.iter().map(Change::delete_option);
        let set = deed.set_option.iter().map(|(name, value)| Change::set_option(name, value));
        deed.nothing(unheaded.chain(headed).chain(unset).chain(set).collect())
    }
}

impl BeforeProviderPayload for Everything {
    fn review(&mut self, payload: &Payload) -> before_provider_payload::Outcome {
        use before_provider_payload::Outcome;
        let Some(deed) = self.deed("before-provider-payload", payload, Facts::default()) else { return Outcome::Keep };
        match deed.what.as_str() {
            "replace" => Outcome::Replace(deed.text(&payload.payload)),
            "patch" => Outcome::Patch(deed.text(&payload.payload)),
            _ => deed.nothing(Outcome::Keep),
        }
    }
}
