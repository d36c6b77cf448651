//! A JSON object, with only some of its fields kept.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

#[cfg(test)]
mod tests;

/// The fields that anything is known of.
const KEPT: [&str; 22] = [
    "type",
    "id",
    "parentId",
    "timestamp",
    "message",
    "provider",
    "modelId",
    "thinkingLevel",
    "activeToolNames",
    "summary",
    "firstKeptEntryId",
    "firstKeptEntryIndex",
    "systemMessage",
    "usage",
    "customType",
    "targetId",
    "label",
    "name",
    "replacement",
    "role",
    "model",
    "fromId",
];

/// A value, as far as anybody asks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    Null,
    Text(String),
    Whole(u64),
    Texts(Vec<String>),
    Object(Facts),
    /// Anything else.
    Other,
}

/// The kept fields of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts(Vec<(&'static str, Fact)>);

impl Facts {
    /// Reads a line that has to be one object. The error says what it is instead.
    pub(crate) fn of(line: &str) -> Result<Self, String> {
        match serde_json::from_str(line) {
            Ok(Fact::Object(facts)) => Ok(facts),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(not_json(&error)),
        }
    }

    /// Takes a field. Of several with one name the last counts, as everywhere in JSON.
    pub(crate) fn take(&mut self, name: &str) -> Option<Fact> {
        let at = self.0.iter().rposition(|(key, _)| *key == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Takes a field that is a text. Nothing if it is missing or null.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None | Some(Fact::Null) => Ok(None),
            Some(Fact::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("has a `{name}` that is no text")),
        }
    }

    /// Takes a field that has to be a text with something in it.
    pub(crate) fn required(&mut self, name: &str) -> Result<String, String> {
        self.text(name)?.filter(|text| !text.is_empty()).ok_or_else(|| format!("has no `{name}`"))
    }
}

/// What the parser says. It counts lines too, and would always say that this is the first.
fn not_json(error: &serde_json::Error) -> String {
    let (said, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    let said = said.strip_suffix(&place).unwrap_or(&said);
    format!("is not JSON that can be read: {said} at byte {column}")
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FactVisitor)
    }
}

struct FactVisitor;

impl<'de> Visitor<'de> for FactVisitor {
    type Value = Fact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Fact, E> {
        Ok(Fact::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Fact, E> {
        Ok(Fact::Other)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Fact, E> {
        Ok(Fact::Whole(number))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Fact, E> {
        Ok(Fact::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Fact, E> {
        Ok(Fact::Other)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Fact, E> {
        Ok(Fact::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Fact, A::Error> {
        let (mut texts, mut only_texts) = (Vec::new(), true);
        while let Some(item) = items.next_element::<Fact>()? {
            match item {
                Fact::Text(text) if only_texts => texts.push(text),
                _ => only_texts = false,
            }
        }
        Ok(if only_texts { Fact::Texts(texts) } else { Fact::Other })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Fact, A::Error> {
        let mut facts = Facts::default();
        while let Some(Key(name)) = fields.next_key()? {
            match name {
                Some(name) => facts.0.push((name, fields.next_value()?)),
                None => {
                    let Skipped = fields.next_value()?;
                }
            }
        }
        Ok(Fact::Object(facts))
    }
}

/// A field's name, if the field is kept.
struct Key(Option<&'static str>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
                Ok(Key(KEPT.into_iter().find(|kept| *kept == name)))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// A value of which nothing is kept. Unlike serde's `IgnoredAny` it is parsed in full: depth, numbers and escapes too.
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SkippedVisitor)
    }
}

struct SkippedVisitor;

impl<'de> Visitor<'de> for SkippedVisitor {
    type Value = Skipped;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Skipped, A::Error> {
        while items.next_element::<Skipped>()?.is_some() {}
        Ok(Skipped)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Skipped, A::Error> {
        while fields.next_entry::<Skipped, Skipped>()?.is_some() {}
        Ok(Skipped)
    }
}
