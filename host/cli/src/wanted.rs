//! A model as it is asked for: `PROVIDER/NAME[:LEVEL]`.

use seam_loop::{Model, Provider as _, ThinkingLevel};
use seam_providers::Providers;
use serde_json::json;

use crate::config::hint;

/// What `--model` and the setting `model` say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) model: Model,
    /// How much it should think, if that is said.
    pub(crate) level: Option<ThinkingLevel>,
}

impl Wanted {
    /// Reads it: up to the first `/` stands the provider, behind the last `:` the level if it is one.
    ///
    /// # Errors
    /// When there is no such provider, in words.
    pub(crate) fn parse(text: &str, providers: &Providers) -> Result<Self, String> {
        let (named, level) = match text.rsplit_once(':').map(|(named, word)| (named, level(word))) {
            Some((named, Some(level))) => (named, Some(level)),
            _ => (text, None),
        };
        let Some((provider, id)) = named.split_once('/') else { return Err(without_provider(named, providers)) };
        let names = providers.names();
        if !names.contains(&provider) {
            let near = hint(provider, &names);
            let there =
                if near.starts_with("known") { String::new() } else { format!(" There are {}.", names.join(", ")) };
            return Err(format!(
                "`{text}` names the provider `{provider}`, which is not there; {near}{there} For another one, give its \
                 `protocol` and `base-url` under `[providers.{provider}]` in seam.toml"
            ));
        }
        if id.is_empty() {
            return Err(format!(
                "`{text}` names no model; give `{provider}/NAME` (`seam models {provider}` lists names)"
            ));
        }
        Ok(Self { model: Model { provider: provider.to_owned(), id: id.to_owned() }, level })
    }
}

/// The level of this name.
pub(crate) fn level(name: &str) -> Option<ThinkingLevel> {
    serde_json::from_value(json!(name)).ok()
}

/// What it is called.
pub(crate) fn level_name(level: ThinkingLevel) -> String {
    json!(level).as_str().unwrap_or_default().to_owned()
}

fn without_provider(name: &str, providers: &Providers) -> String {
    let of = |provider: &str| Model { provider: provider.to_owned(), id: name.to_owned() };
    let is_known = |model: &Model| providers.facts(model).is_some_and(|facts| facts.is_known);
    let known: Vec<Model> = providers.names().into_iter().map(of).filter(is_known).collect();
    match &*known {
        [model] => format!("`{name}` names no provider; did you mean `{model}`?"),
        _ => format!("`{name}` names no provider; give `PROVIDER/NAME`, such as `anthropic/claude-sonnet-5`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> Result<(String, Option<ThinkingLevel>), String> {
        let providers = Providers::new(&std::collections::BTreeMap::new()).unwrap();
        Wanted::parse(text, &providers).map(|wanted| (wanted.model.to_string(), wanted.level))
    }

    #[test]
    fn a_name_may_hold_what_stands_between_names() {
        let is = |text: &str, model: &str, level| assert_eq!(wanted(text), Ok((model.to_owned(), level)));
        is("anthropic/claude-x", "anthropic/claude-x", None);
        is("anthropic/claude-x:xhigh", "anthropic/claude-x", Some(ThinkingLevel::Xhigh));
        is("openrouter/a/b:free", "openrouter/a/b:free", None);
        is("openrouter/a/b:free:off", "openrouter/a/b:free", Some(ThinkingLevel::Off));
        is("ollama/qwen3:8b", "ollama/qwen3:8b", None);
    }

    #[test]
    fn what_is_no_model_is_told_with_what_may_be_meant() {
        let told = |text: &str| wanted(text).unwrap_err();
        let near = told("antropic/claude-x");
        assert!(
            near.contains("`antropic`, which is not there; did you mean `anthropic`? There are anthropic, "),
            "{near}"
        );
        let far = told("zzzzzzzz/x");
        assert!(far.contains("known are `anthropic`, `cerebras`"), "{far}");
        assert!(told("anthropic/").contains("names no model"));
        assert!(told("anthropic/:high").contains("names no model"));
        assert_eq!(
            told("claude-sonnet-5:high"),
            "`claude-sonnet-5` names no provider; did you mean `anthropic/claude-sonnet-5`?"
        );
        assert!(told("nobodys").contains("such as `anthropic/claude-sonnet-5`"));
    }
}
