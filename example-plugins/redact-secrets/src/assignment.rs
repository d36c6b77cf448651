//! Values that are secret because of the name they are given to: `password=...`, `"token": "..."`.
//!
//! Source code gives such names to all sorts of things, so a value without quotes has to look like a secret.

use crate::scan::Secret;
use crate::shapes::run;

/// Names end with one of these; what stands before, as in `DB_PASSWORD` or `clientSecret`, does not matter.
const NAMES: &[(&str, &str)] = &[
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("secret", "secret"),
    ("secretkey", "secret"),
    ("secretaccesskey", "secret"),
    ("privatekey", "secret"),
    ("token", "token"),
    ("apikey", "api-key"),
    ("accesskey", "api-key"),
];

/// Longer names are not looked at, nor more spaces than this around the sign.
const LONGEST_NAME: usize = 64;
const MOST_SPACES: usize = 8;
/// A shorter value is no secret.
const LEAST: usize = 4;
const LEAST_UNQUOTED: usize = 8;

/// The value that follows the `=` or `:` at `at`, when the name in front of it says that it is secret.
pub(crate) fn value(text: &[u8], at: usize) -> Option<Secret> {
    let kind = name_before(text, at).and_then(kind_of)?;
    let start = at + 1 + run(text.get(..text.len().min(at + 1 + MOST_SPACES))?, at + 1, is_space);
    let secret = |(start, end)| Secret { start, end, kind };
    match text.get(start)? {
        b'"' | b'\'' => quoted(text, start, false).map(secret),
        b'\\' if text.get(start + 1) == Some(&b'"') => quoted(text, start + 1, true).map(secret),
        _ => unquoted(text, start, start == at + 1 && text.get(at) == Some(&b'=')).map(secret),
    }
}

/// What kind of secret the name announces. `api_key`, `api-key` and `apiKey` are one name.
pub(crate) fn kind_of(name: &[u8]) -> Option<&'static str> {
    let plain: Vec<u8> = name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    NAMES.iter().find(|(ending, _)| plain.ends_with(ending.as_bytes())).map(|(_, kind)| *kind)
}

/// The name in front of the sign, without the spaces and the quote between.
fn name_before(text: &[u8], at: usize) -> Option<&[u8]> {
    let before = text.get(at.saturating_sub(LONGEST_NAME)..at)?;
    let before = trim_end(before, is_space);
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    let before = before.strip_suffix(b"\\").unwrap_or(before);
    let length = before.iter().rev().take_while(|byte| is_name(byte)).count();
    before.get(before.len() - length..)
}

/// The inside of quotes on one line. In text that is itself a JSON string, a backslash stands before each quote.
fn quoted(text: &[u8], quote: usize, escaped: bool) -> Option<(usize, usize)> {
    let mark = *text.get(quote)?;
    let start = quote + 1;
    let mut end = start;
    loop {
        match *text.get(end)? {
            b'\n' => return None,
            b'\\' if escaped && text.get(end + 1) == Some(&mark) => break,
            b'\\' => end += 2,
            byte if byte == mark => break,
            _ => end += 1,
        }
    }
    (end - start >= LEAST && !text.get(start..end)?.starts_with(b"$")).then_some((start, end))
}

/// A value without quotes. Right behind a `=`, as in a file of settings, any value that is no expression; elsewhere one
/// that mixes letters and digits. Its start decides; a value that was refused is looked at no further.
fn unquoted(text: &[u8], start: usize, setting: bool) -> Option<(usize, usize)> {
    let near = text.get(..text.len().min(start + LONGEST_NAME))?;
    let end = start + run(near, start, is_value);
    let value = text.get(start..end)?;
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let expression = text.get(end).is_some_and(|byte| b"([{<".contains(byte)) || value.starts_with(b"$");
    let named_like_it = !mixed && kind_of(value).is_some();
    let least = if setting { LEAST } else { LEAST_UNQUOTED };
    let plausible = mixed || setting && !named_like_it && !is_nothing(value);
    (value.len() >= least && !expression && plausible).then(|| (start, end + run(text, end, is_value)))
}

fn is_nothing(value: &[u8]) -> bool {
    [&b"null"[..], b"none", b"true", b"false", b"undefined"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(byte)
}

fn is_space(byte: &u8) -> bool {
    *byte == b' ' || *byte == b'\t'
}

fn is_value(byte: &u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`,;()[]{}<>&|\\".contains(byte)
}

fn trim_end(text: &[u8], of: impl Fn(&u8) -> bool) -> &[u8] {
    let kept = text.iter().rposition(|byte| !of(byte)).map_or(0, |last| last + 1);
    text.get(..kept).unwrap_or_default()
}
