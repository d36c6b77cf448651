//! What is wrong with arguments, in lines the model can act on and in the reference's words. However large the
//! arguments and the schema are, the lines are few and short.

use std::fmt::{Display, Write};

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};

/// The most faults that are told.
pub(super) const MOST: usize = 50;
/// The longest part of a fault, in bytes: its path, or what it says.
const LONGEST: usize = 300;

/// A fault as lines.
pub(super) fn describe(error: &ValidationError<'_>) -> Vec<String> {
    let place: Vec<String> = error.instance_path().to_string().split('/').skip(1).map(unescaped).collect();
    let at = |more: Option<&str>| match place.iter().map(String::as_str).chain(more).collect::<Vec<_>>().join(".") {
        path if path.is_empty() => "root".to_owned(),
        path => short(&path),
    };
    let expected = match error.kind() {
        Kind::Required { property } => return vec![format!("{}: missing", at(property.as_str()))],
        Kind::AdditionalProperties { unexpected } => {
            let told = unexpected.iter().take(MOST);
            return told.map(|name| format!("{}: unknown field", at(Some(name)))).collect();
        }
        Kind::Type { kind: TypeKind::Single(wanted) } => {
            format!("{wanted}, got {}", JsonType::from(error.instance().as_ref()))
        }
        Kind::Enum { options } => short(&format_args!("one of {options}")),
        Kind::Constant { expected_value } => short(expected_value),
        Kind::Minimum { limit } => format!(">= {limit}"),
        Kind::Maximum { limit } => format!("<= {limit}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::Pattern { pattern } => short(&format_args!("to match {pattern}")),
        Kind::Format { format } => short(&format_args!("format {format}")),
        Kind::UniqueItems => "unique items".to_owned(),
        _ => return vec![format!("{}: {}", at(None), short(error))],
    };
    vec![format!("{}: expected {expected}", at(None))]
}

/// A part of a JSON pointer as it was.
pub(super) fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// The beginning of a text. What would be cut is not even written.
pub(super) fn short(text: &dyn Display) -> String {
    let mut short = Short(String::new());
    if write!(short, "{text}").is_err() {
        short.0.push('…');
    }
    short.0
}

/// Takes text up to the limit.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = LONGEST - self.0.len();
        let kept = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        self.0.push_str(kept);
        if kept.len() < text.len() { Err(std::fmt::Error) } else { Ok(()) }
    }
}
