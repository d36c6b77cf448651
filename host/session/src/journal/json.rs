//! JSON that is passed on as text: nobody here takes it apart into values.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::journal::seal;

/// What stands in the place of a value that was left out begins with this. No name of the contract has a `$`.
const LEFT_OUT: &str = r#"{"$left-out":{"sha256":""#;
/// The longest text of one, in bytes.
const NOTE: usize = 256;

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

    /// What stands in its place where it is too long to be kept: its SHA-256 and its length in bytes. The name of a case
    /// stays around it.
    pub fn left_out(&self) -> Json<'static> {
        let (text, hash) = (self.text(), seal::hash(self.text().as_bytes()));
        let note = format!("{LEFT_OUT}{}\",\"bytes\":{}}}}}", seal::text(&hash), text.len());
        Json::new(case(text).map_or_else(|| note.clone(), |case| format!("{{\"{case}\":{note}}}")))
    }

    /// Whether this stands in the place of a value.
    pub fn is_left_out(&self) -> bool {
        self.text().len() <= NOTE && self.text().contains(LEFT_OUT)
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

/// The name of a case.
fn case(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix("{\"")?.split_once("\":")?;
    let is_name = name.len() <= NOTE / 4 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_says_so_with_its_length_and_hash() {
        let hash = |json: &str| seal::text(&seal::hash(json.as_bytes())).to_owned();
        let out = |json: &str| Json::new(json.to_owned()).left_out();
        let note = |json: &str| format!(r#"{{"$left-out":{{"sha256":"{}","bytes":{}}}}}"#, hash(json), json.len());
        for json in ["[1]", r#""block""#, r#"{"A":1}"#, "{}", r#"{"x\"y":1}"#] {
            assert_eq!(out(json).text(), note(json));
        }
        let block = r#"{"block":{"reason":"x"}}"#;
        assert_eq!(out(block).text(), format!(r#"{{"block":{}}}"#, note(block)));
        let case = "a".repeat(NOTE / 4);
        let longest = out(&format!(r#"{{"{case}":1}}"#));
        assert!(out(block).is_left_out() && longest.is_left_out() && longest.text().contains(&case));
        assert!(!Json::new(block).is_left_out());
        // What a plugin says of it is a text.
        let said = serde_json::to_string(&[out("[]").text()]).unwrap();
        assert!(!Json::new(said).is_left_out());
    }
}
