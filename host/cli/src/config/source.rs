//! The text of a settings file, and where in it something is wrong.

mod unfit;

use std::iter;
use std::path::Path;

use anyhow::{Error, anyhow};
use toml::de::{DeTable, DeValue};

/// The text and its file.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

/// What is wrong with the settings at a place.
#[derive(Debug)]
pub(super) struct Fault {
    /// The keys that lead there.
    at: Vec<String>,
    what: String,
}

impl Fault {
    /// What is wrong there, as a whole sentence.
    pub(super) fn new(at: &[&str], what: impl Into<String>) -> Self {
        Self { at: at.iter().map(|&key| key.to_owned()).collect(), what: what.into() }
    }

    /// The last key is said of: "`KEY` under `[TABLE]` is ...".
    pub(super) fn of(at: &[&str], what: &str) -> Self {
        let (key, tables) = at.split_last().unwrap_or((&"", &[]));
        Self::new(at, format!("`{key}`{} {what}", under(tables)))
    }
}

impl Source<'_> {
    /// Whether the text says anything there.
    pub(super) fn has(self, fault: &Fault) -> bool {
        self.depth_and_line(&fault.at).is_some_and(|(depth, _)| depth == fault.at.len())
    }

    /// What is wrong, with the file and the line.
    pub(super) fn fault(self, fault: &Fault) -> Error {
        let line = self.depth_and_line(&fault.at).map(|(_, line)| line);
        self.told(line, &fault.what)
    }

    /// Why the text cannot be read.
    pub(super) fn misread(self, error: &toml::de::Error) -> Error {
        let told = error.span().and_then(|span| {
            let at = self.at(span.start);
            let what = match Unknown::of(error.message()) {
                Some(unknown) => unknown.told(&at),
                None => unfit::told(error.message(), &at)?,
            };
            Some(self.told(Some(self.line(span.start)), &what))
        });
        told.unwrap_or_else(|| anyhow!("{} is not usable: {error}", self.file.display()))
    }

    fn told(self, line: Option<usize>, what: &str) -> Error {
        let line = line.map_or_else(String::new, |line| format!(" line {line}"));
        anyhow!("{}{line}: {what}", self.file.display())
    }

    /// The line of a place of the text, from 1.
    fn line(self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }

    /// How many of the keys lead somewhere, and the line of the last of these.
    fn depth_and_line(self, at: &[String]) -> Option<(usize, usize)> {
        let document = DeTable::parse(self.text).ok()?;
        let mut table = Some(document.get_ref());
        let mut found = None;
        for (key, depth) in at.iter().zip(1..) {
            let Some((name, value)) = table.and_then(|table| table.iter().find(|(name, _)| *name.get_ref() == *key))
            else {
                break;
            };
            found = Some((depth, self.line(name.span().start)));
            table = value.get_ref().as_table();
        }
        found
    }

    /// The keys that lead to a place of the text.
    fn at(self, offset: usize) -> Vec<String> {
        let document = DeTable::parse(self.text).ok();
        document.and_then(|document| keys(document.get_ref(), offset)).unwrap_or_default()
    }
}

fn keys(table: &DeTable<'_>, offset: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(key, value)| {
        let rest = match key.span().contains(&offset) {
            true => Vec::new(),
            false => keys_within(value.get_ref(), offset).or_else(|| value.span().contains(&offset).then(Vec::new))?,
        };
        Some(iter::once(key.get_ref().to_string()).chain(rest).collect())
    })
}

fn keys_within(value: &DeValue<'_>, offset: usize) -> Option<Vec<String>> {
    match value {
        DeValue::Table(table) => keys(table, offset),
        DeValue::Array(values) => values.iter().find_map(|value| keys_within(value.get_ref(), offset)),
        _ => None,
    }
}

/// How somebody might call a key, without what stands between words.
const KEYS: [&str; 7] = ["apikey", "key", "token", "apitoken", "accesstoken", "secret", "password"];

/// A word that is none of those that are known at its place.
struct Unknown<'a> {
    is_key: bool,
    word: &'a str,
    known: Vec<&'a str>,
}

impl<'a> Unknown<'a> {
    /// Read from what serde says of it: "unknown field `a`, expected `b` or `c`".
    fn of(message: &'a str) -> Option<Self> {
        let key = message.strip_prefix("unknown field `").map(|rest| (true, rest));
        let (is_key, rest) = key.or_else(|| message.strip_prefix("unknown variant `").map(|rest| (false, rest)))?;
        let (word, known) = rest.rsplit_once("`, expected ")?;
        Some(Self { is_key, word, known: known.split('`').skip(1).step_by(2).collect() })
    }

    fn told(&self, at: &[String]) -> String {
        let at: Vec<&str> = at.iter().map(String::as_str).collect();
        let (key, tables) = at.split_last().unwrap_or((&"", &[]));
        let (word, hint) = (self.word, hint(self.word, &self.known));
        // The keys of a map are variants.
        match self.is_key || *key == self.word {
            true if matches!(tables, ["providers", _])
                && KEYS.contains(&&*word.to_lowercase().replace(['-', '_'], "")) =>
            {
                format!(
                    "`{word}`{}: keys do not stand in settings; name the variable that holds it with `key-env`, or a \
                     command that prints it with `key-command`",
                    under(tables)
                )
            }
            true => format!("unknown key `{word}`{}; {hint}", under(tables)),
            false => format!("`{key}`{} cannot be `{word}`; {hint}", under(tables)),
        }
    }
}

/// What may have been meant instead of a word.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    let plain = |word: &str| word.to_lowercase().replace('_', "-");
    let far = |other: &&&str| strsim::damerau_levenshtein(&plain(word), &plain(other));
    let near = known.iter().min_by_key(far).filter(|other| far(other) <= (word.len().max(other.len()) / 3).max(1));
    match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let names: Vec<String> = known.iter().map(|other| format!("`{other}`")).collect();
            format!("known {} {}", if known.len() == 1 { "is only" } else { "are" }, names.join(", "))
        }
    }
}

/// Where a key stands.
fn under(tables: &[&str]) -> String {
    if tables.is_empty() { String::new() } else { format!(" under `[{}]`", tables.join(".")) }
}
