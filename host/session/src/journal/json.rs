//! JSON that is passed on as text: nobody here takes it apart into values.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value as compact text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<'a>(Cow<'a, str>);

impl<'a> Json<'a> {
    /// `null`.
    pub const NULL: Json<'static> = Json(Cow::Borrowed("null"));

    /// What already is the text of one JSON value, without white space between its parts. It is not looked at again: a
    /// line of the journal is no JSON if this is none.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        debug_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(), "no JSON: {text}");
        Self(text)
    }

    /// What is no longer known to be JSON: it was read from a file.
    pub(crate) fn trusted(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The same, borrowed from nobody.
    pub fn into_owned(self) -> Json<'static> {
        Json(Cow::Owned(self.0.into_owned()))
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    pub fn value(&self) -> serde_json::Result<Value> {
        serde_json::from_str(&self.0)
    }
}

impl Json<'static> {
    /// The text of a value.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON, such as a map whose keys are no texts.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(Cow::Owned(text)))
    }
}

/// As the value, not as a text.
impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// Of a part of a JSON text.
impl<'de> Deserialize<'de> for Json<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|value| Self(Cow::Owned(Box::<str>::from(value).into_string())))
    }
}
