//! What a plugin's failure means, where the user says so.

use std::collections::BTreeMap;
use std::fmt;

use seam_harness::OnFailure;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::contract::SeamFacts;

/// What a plugin's failure means, as the user set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OnFailureRules {
    /// The same at every seam.
    Everywhere(Word),
    /// At the seams named; the others keep their own rule.
    At(BTreeMap<String, Word>),
}

/// A word of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// What could not be checked is refused.
    Refuse,
    /// It goes on without the plugin.
    Skip,
}

impl Default for OnFailureRules {
    fn default() -> Self {
        Self::At(BTreeMap::new())
    }
}

impl OnFailureRules {
    /// What a failure means at a seam.
    pub fn at(&self, seam: &SeamFacts) -> OnFailure {
        let word = match self {
            Self::Everywhere(word) => Some(word),
            Self::At(seams) => seams.get(seam.name),
        };
        match word {
            Some(Word::Refuse) => OnFailure::Refuse,
            Some(Word::Skip) => OnFailure::Skip,
            None => seam.on_failure,
        }
    }

    /// Whether it goes on without the plugin wherever it fails, so also when it cannot be loaded.
    pub fn is_skip(&self) -> bool {
        *self == Self::Everywhere(Word::Skip)
    }
}

impl<'de> Deserialize<'de> for OnFailureRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Rules)
    }
}

struct Rules;

impl<'de> Visitor<'de> for Rules {
    type Value = OnFailureRules;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"refuse\", \"skip\", or a table of seams with one of them each")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        Word::deserialize(StrDeserializer::new(word)).map(OnFailureRules::Everywhere)
    }

    fn visit_map<A: MapAccess<'de>>(self, seams: A) -> Result<Self::Value, A::Error> {
        BTreeMap::deserialize(MapAccessDeserializer::new(seams)).map(OnFailureRules::At)
    }
}
