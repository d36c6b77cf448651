//! The options of a request: what a plugin may change of it beside headers and body.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The options. What is none is as usual.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    /// How many tokens the answer may have at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<u32>,
    /// For how many milliseconds the service may be silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u32>,
    /// For how long the service is to keep what the next request will begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cache_retention: Option<CacheRetention>,
    /// How freely the model chooses its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) temperature: Option<f64>,
}

/// For how long the beginning of a request is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheRetention {
    /// Not at all, where it can be chosen.
    None,
    /// Some minutes.
    #[default]
    Short,
    /// An hour or longer, where that can be had.
    Long,
}

impl Options {
    /// As plugins see them.
    pub(crate) fn map(&self) -> Map<String, Value> {
        serde_json::to_value(self).ok().and_then(|value| value.as_object().cloned()).unwrap_or_default()
    }

    /// As they come back.
    ///
    /// # Errors
    /// A text that says what cannot be used, and what could.
    pub(crate) fn of(map: &Map<String, Value>) -> Result<Self, String> {
        let parsed = |map: Map<String, Value>| serde_json::from_value::<Self>(Value::Object(map));
        for (name, value) in map {
            parsed(Map::from_iter([(name.clone(), value.clone())]))
                .map_err(|error| format!("it sets the option `{name}`, which cannot be used so ({error})"))?;
        }
        let options = parsed(map.clone()).map_err(|error| format!("it sets options that cannot be used ({error})"))?;
        match options {
            Self { max_tokens: Some(0), .. } => {
                Err("it sets the option `maxTokens` to 0; at least 1 can be used".to_owned())
            }
            Self { timeout_ms: Some(0), .. } => {
                Err("it sets the option `timeoutMs` to 0; at least 1 can be used".to_owned())
            }
            options => Ok(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> Result<Options, String> {
        Options::of(value.as_object().unwrap())
    }

    #[test]
    fn options_come_back_as_they_went() {
        let options =
            Options { timeout_ms: Some(5), cache_retention: Some(CacheRetention::Long), ..Options::default() };
        assert_eq!(Value::Object(options.map()), json!({ "timeoutMs": 5, "cacheRetention": "long" }));
        assert_eq!(Options::of(&options.map()), Ok(options));
    }

    #[test]
    fn an_option_that_nobody_knows_or_that_cannot_be_is_refused() {
        let unknown = of(json!({ "retries": 3 })).unwrap_err();
        assert!(unknown.contains("unknown field `retries`") && unknown.contains("`timeoutMs`"), "{unknown}");
        for value in [json!({ "maxTokens": -1 }), json!({ "maxTokens": 0 }), json!({ "cacheRetention": "ever" })] {
            let fault = of(value.clone()).unwrap_err();
            assert!(value.as_object().unwrap().keys().all(|name| fault.contains(&format!("`{name}`"))), "{fault}");
        }
    }
}
