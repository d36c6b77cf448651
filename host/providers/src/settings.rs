//! What is set of a provider: by us for those that are known, by the user for these and for others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use crate::protocol::Protocol;
use crate::table::ModelSettings;

/// What is set of a provider. What is not set is as it is known to be, or as usual.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ProviderSettings {
    /// What it speaks.
    pub protocol: Option<Protocol>,
    /// Where it is, up to what the protocol adds: `/messages`, `/chat/completions`, `/responses`, `/models/...`.
    pub base_url: Option<String>,
    /// The variables of the environment that hold its key: the first that is set counts. None for one without a key.
    #[serde(deserialize_with = "one_or_more")]
    pub key_env: Option<Vec<String>>,
    /// A command that prints its key, with its arguments. It goes before the variables.
    pub key_command: Option<Vec<String>>,
    /// Where a key is to be had.
    pub keys_at: Option<String>,
    /// A PEM file of certificate authorities to trust beside the usual ones.
    pub ca_file: Option<PathBuf>,
    /// How long connecting may take, in milliseconds.
    pub connect_ms: Option<u32>,
    /// For how long it may be silent, in milliseconds.
    pub silence_ms: Option<u32>,
    /// Headers of each request. No key stands here.
    pub headers: BTreeMap<String, String>,
    /// What it does otherwise than others who speak its protocol.
    pub quirks: Option<Vec<Quirk>>,
    /// What is known of its models.
    pub models: BTreeMap<String, ModelSettings>,
}

/// What a provider does otherwise than others who speak its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// The output limit is sent as `max_completion_tokens`, not as `max_tokens`.
    MaxCompletionTokens,
    /// It refuses `stream_options`.
    NoStreamOptions,
    /// Ids of tool calls have exactly nine letters and digits.
    ShortIds,
    /// Thinking is asked for with `reasoning: { effort }`.
    ReasoningObject,
    /// Thinking is asked for with `thinking: { type }`.
    ThinkingSwitch,
    /// Its own reasoning goes back in `reasoning_content`.
    ReturnReasoning,
}

impl ProviderSettings {
    /// These, over others.
    pub(crate) fn over(self, under: Self) -> Self {
        let mut models = under.models;
        models.extend(self.models);
        let mut headers = under.headers;
        headers.extend(self.headers);
        Self {
            protocol: self.protocol.or(under.protocol),
            base_url: self.base_url.or(under.base_url),
            key_env: self.key_env.or(under.key_env),
            key_command: self.key_command.or(under.key_command),
            keys_at: self.keys_at.or(under.keys_at),
            ca_file: self.ca_file.or(under.ca_file),
            connect_ms: self.connect_ms.or(under.connect_ms),
            silence_ms: self.silence_ms.or(under.silence_ms),
            quirks: self.quirks.or(under.quirks),
            headers,
            models,
        }
    }
}

/// One name, or a list of them.
fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        More(Vec<String>),
    }
    Ok(Some(match Names::deserialize(deserializer)? {
        Names::One(name) => vec![name],
        Names::More(names) => names,
    }))
}
