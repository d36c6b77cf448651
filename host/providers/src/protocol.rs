//! The wire protocols. Each is one module: how a request is written, and how the events of its response are read.
//! What they have in common (headers, retries, time limits, aborts, errors) is not theirs.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use seam_loop::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::conversation::{Ids, Turn};
use crate::fault::Fault;
use crate::options::CacheRetention;
use crate::settings::Quirk;
use crate::table::Amount;

/// A wire protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Anthropic's Messages.
    AnthropicMessages,
    /// OpenAI's Chat Completions, which most services and local servers speak.
    OpenaiChat,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Google's Gemini.
    Gemini,
}

impl Protocol {
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Self::AnthropicMessages => &anthropic::Anthropic,
            Self::OpenaiChat => &chat::Chat,
            Self::OpenaiResponses => &responses::Responses,
            Self::Gemini => &gemini::Gemini,
        }
    }
}

/// What a protocol is made of.
pub(crate) trait Wire: Send + Sync {
    /// Where requests to a model go, behind the base URL: begins with `/`.
    fn path(&self, model: &str) -> String;

    /// Where the service lists its models, behind the base URL.
    fn models_path(&self) -> &'static str {
        "/models"
    }

    /// Headers of each request beside `content-type` and `accept`, without the key.
    fn headers(&self, model: &str) -> &'static [(&'static str, &'static str)] {
        let _all_the_same = model;
        &[]
    }

    /// The header that carries the key.
    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    /// Which ids of calls the service takes.
    fn ids(&self, quirks: &[Quirk]) -> Ids {
        if quirks.contains(&Quirk::ShortIds) { Ids::SHORT } else { Ids::USUAL }
    }

    /// The body of a request. It asks for a stream.
    fn body(&self, asked: &Asked<'_>) -> Value;

    /// Reads one response.
    fn reader(&self) -> Box<dyn Reader>;
}

/// What is asked of a model.
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a str,
    /// How much it should think, as its service is told; none when nothing is to be said of it.
    pub(crate) thinking: Option<&'a Amount>,
    /// Whether it is to think.
    pub(crate) thinks: bool,
    /// Whether it can. Some that can cannot be kept from it.
    pub(crate) can_think: bool,
    pub(crate) system: &'a str,
    pub(crate) turns: Vec<Turn<'a>>,
    pub(crate) tools: &'a [ToolDefinition],
    /// How many tokens the answer may have at most, reasoning included.
    pub(crate) max_tokens: u32,
    /// Whether somebody wants it no longer. Else a service that knows its own limit need not be told one.
    pub(crate) is_limited: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) cache: CacheRetention,
    pub(crate) quirks: &'a [Quirk],
}

/// A tool's schema as services take it: of an object with `properties`, and without alternatives at its top. The whole schema
/// counts when the arguments are checked.
fn schema(parameters: &Value) -> Value {
    let mut schema = parameters.as_object().cloned().unwrap_or_default();
    schema.retain(|key, _| !matches!(key.as_str(), "oneOf" | "anyOf" | "allOf" | "not" | "enum"));
    schema.insert("type".to_owned(), "object".into());
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema.into()
}

/// Whether a response goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Goes,
    /// The answer is complete: whatever comes is no part of it.
    Complete,
}

/// Reads the events of one response.
pub(crate) trait Reader: Send {
    /// Takes one event: its name, if it has one, and its data. Errors that services put at `error` never get here.
    ///
    /// # Errors
    /// When the service says that it failed, or what it says cannot be.
    fn take(&mut self, name: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault>;

    /// Takes the end of the response, or `data: [DONE]`. By then the answer must be complete.
    ///
    /// # Errors
    /// When it is not.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        let _not_complete = answer;
        Err(Fault::truncated())
    }
}
