//! What a journal never holds: secrets that were given to the host.

use std::borrow::Cow;

use memchr::memmem::Finder;
use serde::de::IgnoredAny;
use serde_json::Value;

/// A shorter secret would be found everywhere.
const SHORTEST: usize = 8;
/// So many are hidden. Each makes every line slower.
const MOST: usize = 16;
/// What stands in its place.
const INSTEAD: &str = "[secret]";

/// The secrets, in all forms in which they may stand in a text.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    /// The one that was given last is the last.
    secrets: Vec<String>,
    /// As it is, and as it stands in a JSON text that is kept as a text, and in one within that.
    forms: Vec<String>,
    /// The same as they stand in the journal.
    finders: Vec<Finder<'static>>,
}

impl Secrets {
    pub(crate) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Hides a secret from here on.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.len() < SHORTEST || self.secrets.last().is_some_and(|last| last == secret) {
            return;
        }
        self.secrets.retain(|known| known != secret);
        if self.secrets.len() == MOST {
            self.secrets.remove(0);
        }
        self.secrets.push(secret.to_owned());
        (self.forms, self.finders) = Default::default();
        for secret in self.secrets.clone() {
            parts(&secret).iter().for_each(|part| self.look_for(part));
            self.look_for(&secret);
        }
        // The longest first: a form may be a part of a longer one.
        self.forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    /// Looks for a text.
    fn look_for(&mut self, secret: &str) {
        let mut form = secret.to_owned();
        for _nested in 0..3 {
            let next = escaped(&form);
            if !self.forms.contains(&form) {
                self.finders.push(Finder::new(&next).into_owned());
                self.forms.push(form);
            }
            form = next;
        }
    }

    /// A text without them.
    pub(crate) fn hidden<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for form in &self.forms {
            if hidden.contains(form) {
                hidden = Cow::Owned(hidden.replace(form, INSTEAD));
            }
        }
        hidden
    }

    /// A JSON text without them. The names of its fields stay.
    pub(crate) fn hidden_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        if self.finders.iter().all(|finder| finder.find(json.as_bytes()).is_none()) {
            return Cow::Borrowed(json);
        }
        let (mut hidden, mut rest) = (String::with_capacity(json.len()), json);
        while let Some((before, string, after)) = next_string(rest) {
            self.hide_numbers(before, &mut hidden);
            let is_name = after.trim_start().starts_with(':');
            hidden.push_str(&if is_name { Cow::Borrowed(string) } else { self.hidden_string(string) });
            rest = after;
        }
        self.hide_numbers(rest, &mut hidden);
        Cow::Owned(hidden)
    }

    /// What stands beside strings. A secret of digits may be a number there.
    fn hide_numbers(&self, json: &str, hidden: &mut String) {
        for part in json.split_inclusive(is_between) {
            let token = part.trim_end_matches(is_between);
            if self.forms.iter().any(|form| form == token) {
                hidden.extend(["\"", INSTEAD, "\"", part.get(token.len()..).unwrap_or_default()]);
            } else {
                hidden.push_str(part);
            }
        }
    }

    /// A string with its quotes. One that holds JSON, as the arguments of a call do, keeps the names of fields in it.
    fn hidden_string<'a>(&self, string: &'a str) -> Cow<'a, str> {
        let Ok(text) = serde_json::from_str::<String>(string) else { return Cow::Borrowed(string) };
        let hidden = match self.hidden(&text) {
            Cow::Owned(_) if has_fields(&text) => self.hidden_json(&text),
            hidden => hidden,
        };
        if hidden == text { Cow::Borrowed(string) } else { Cow::Owned(format!("\"{}\"", escaped(&hidden))) }
    }
}

/// Whether a text is a JSON object or array.
fn has_fields(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// What stands between the values of a JSON text.
fn is_between(character: char) -> bool {
    matches!(character, '[' | ']' | '{' | '}' | ',' | ':' | ' ' | '\t' | '\n' | '\r')
}

/// As it stands in a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// What stands before the first string, the string with its quotes, and what stands after it.
fn next_string(json: &str) -> Option<(&str, &str, &str)> {
    let start = json.find('"')?;
    let mut is_escaped = false;
    let length = json.as_bytes().iter().skip(start + 1).position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    let (before, rest) = json.split_at_checked(start)?;
    let (string, after) = rest.split_at_checked(length + 2)?;
    Some((before, string, after))
}

/// The texts in a secret that is JSON, such as the key of a service account: the longest of them.
fn parts(secret: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(secret) {
        texts(value, &mut parts);
    }
    parts.retain(|part| part.len() >= SHORTEST);
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.truncate(MOST);
    parts
}

fn texts(value: Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
