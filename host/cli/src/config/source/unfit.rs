//! A value of another type than its key has, and a key that is missing, in words.

use super::under;

/// What is wrong at these keys, read from what serde says of it: "invalid type: integer `1`, expected a string".
pub(super) fn told(message: &str, at: &[String]) -> Option<String> {
    let at: Vec<&str> = at.iter().map(String::as_str).collect();
    if let Some(missing) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return Some(format!("`{missing}`{} is missing; add it", under(&at)));
    }
    if let Some(kind) = message.strip_prefix("data did not match any variant of untagged enum ") {
        let (key, tables) = at.split_last()?;
        let wanted = if kind == "Amount" {
            "a number of tokens, or a word in quotes"
        } else {
            "a text in quotes, or a list of them"
        };
        return Some(format!("`{key}`{} cannot be used; give {wanted}", under(tables)));
    }
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (there, wanted) = rest.split_once(", expected ")?;
    let (key, tables) = at.split_last()?;
    Some(format!("`{key}`{} is {}; give {}", under(tables), named(there), self::wanted(wanted)))
}

/// What is there: "integer `1`".
fn named(there: &str) -> String {
    let (kind, value) = there.split_once(' ').unwrap_or((there, ""));
    match (kind, value) {
        ("sequence", _) => "a list".to_owned(),
        ("map", _) => "a table".to_owned(),
        ("string", text) => format!("the text {text}"),
        ("floating", value) => value.trim_start_matches("point ").to_owned(),
        ("integer" | "boolean", value) => value.to_owned(),
        _ => there.to_owned(),
    }
}

/// What is wanted there, as serde calls the types that our settings have.
fn wanted(wanted: &str) -> String {
    match wanted {
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list: `[...]`".to_owned(),
        "a string" | "path string" => "a text in quotes".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" => format!("a whole number from 0 to {}", most(wanted)),
        "a map" => "a table".to_owned(),
        _ if wanted.starts_with("struct ") => "a table: `{ key = value }`".to_owned(),
        other => other.to_owned(),
    }
}

fn most(kind: &str) -> u64 {
    match kind {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        "u32" => u32::MAX.into(),
        _ => u64::MAX,
    }
}
