//! What is known of models: a table of the well known ones, and what the user sets of these and of others.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use seam_loop::{ThinkingLevel, Usage};
use serde::{Deserialize, Serialize};

use crate::settings::ProviderSettings;

/// The providers that need no settings, by name.
pub(crate) static PROVIDERS: LazyLock<BTreeMap<String, ProviderSettings>> =
    LazyLock::new(|| read(include_str!("table/providers.toml")));
/// The known models, by provider and name.
pub(crate) static MODELS: LazyLock<BTreeMap<String, BTreeMap<String, ModelSettings>>> =
    LazyLock::new(|| read(include_str!("table/models.toml")));

/// A test reads both files: here they cannot be wrong.
fn read<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    toml::from_str(text).unwrap_or_default()
}

/// What is known of a model, or set of it. What is not there is not known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModelSettings {
    /// How many tokens it can read and write at once.
    pub window: Option<u32>,
    /// How many tokens an answer of it has at most.
    pub output: Option<u32>,
    /// Whether it sees pictures.
    pub images: Option<bool>,
    /// What it costs.
    pub cost: Option<Cost>,
    /// What its service is told for each thinking level that it has.
    pub thinking: Option<BTreeMap<ThinkingLevel, Amount>>,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cost {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from the cache.
    #[serde(default)]
    pub cache_read: f64,
    /// Written to the cache.
    #[serde(default)]
    pub cache_write: f64,
}

/// How much thinking a service is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// At most so many tokens.
    Tokens(u32),
    /// A word for the effort.
    Effort(String),
}

/// What a model is taken to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// How many tokens it can read and write at once.
    pub window: u32,
    /// How many tokens an answer of it has at most.
    pub output: u32,
    /// Whether it sees pictures.
    pub images: bool,
    /// What it costs, if that is known.
    pub cost: Option<Cost>,
    /// What its service is told for each thinking level that it has.
    pub thinking: BTreeMap<ThinkingLevel, Amount>,
    /// Whether it is in the table or in the settings.
    pub is_known: bool,
}

impl Default for Facts {
    /// What a model is taken to be of which nothing is known.
    fn default() -> Self {
        let thinking = BTreeMap::new();
        Self { window: 128_000, output: 8_192, images: true, cost: None, thinking, is_known: false }
    }
}

impl Facts {
    /// What is known of a model: what is set counts before what the table says, and that of a dated name is that of the
    /// name without its date.
    pub(crate) fn of(provider: &str, name: &str, set: &BTreeMap<String, ModelSettings>) -> Self {
        let table = MODELS.get(provider);
        let known = named(name).find_map(|name| table?.get(name));
        let set = named(name).find_map(|name| set.get(name));
        let mut facts = Self::default();
        for settings in [known, set].into_iter().flatten() {
            let ModelSettings { window, output, images, cost, thinking } = settings.clone();
            facts = Self {
                window: window.unwrap_or(facts.window),
                output: output.unwrap_or(facts.output),
                images: images.unwrap_or(facts.images),
                cost: cost.or(facts.cost),
                thinking: thinking.unwrap_or(facts.thinking),
                is_known: true,
            };
        }
        facts.output = facts.output.min(facts.window);
        facts
    }

    /// Whether it can be told how much to think.
    pub fn thinks(&self) -> bool {
        self.thinking.keys().any(|level| *level != ThinkingLevel::Off)
    }

    /// The level that is nearest to what is wanted: the same, or the next lower one, or the lowest. Off stays off.
    pub fn level(&self, wanted: ThinkingLevel) -> ThinkingLevel {
        let levels = || self.thinking.keys().copied().filter(|level| *level != ThinkingLevel::Off);
        match wanted {
            ThinkingLevel::Off => ThinkingLevel::Off,
            wanted => levels().filter(|level| *level <= wanted).max().or(levels().min()).unwrap_or(ThinkingLevel::Off),
        }
    }

    /// What a response costs, in US dollars; 0 if that is not known.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let Some(cost) = self.cost else { return 0.0 };
        let parts = [
            (usage.input, cost.input),
            (usage.output, cost.output),
            (usage.cache_read, cost.cache_read),
            (usage.cache_write, cost.cache_write),
        ];
        parts.into_iter().map(|(tokens, price)| f64::from(tokens) * price / 1e6).sum()
    }
}

/// The name, and the same without `-latest` or the date at its end.
fn named(name: &str) -> impl Iterator<Item = &str> {
    [Some(name), name.strip_suffix("-latest"), undated(name)].into_iter().flatten()
}

/// The name before `-20250929`, `@20250929` or `-2025-09-29`.
fn undated(name: &str) -> Option<&str> {
    let is_date = |shape: &str, date: &str| {
        shape.len() == date.len()
            && shape.bytes().zip(date.bytes()).all(|(shape, byte)| match shape {
                b'0' => byte.is_ascii_digit(),
                shape => shape == byte,
            })
    };
    ["-00000000", "@00000000", "-0000-00-00"].into_iter().find_map(|shape| {
        let (before, date) = name.split_at_checked(name.len().checked_sub(shape.len())?)?;
        is_date(shape, date).then_some(before)
    })
}

#[cfg(test)]
mod tests;
