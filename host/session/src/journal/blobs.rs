//! Long values stand in the journal once. What refers to one is `{"$blob":"HASH"}` in its place.

use std::sync::LazyLock;

use memchr::memchr2;
use memchr::memmem::Finder;

use crate::journal::seal::{Hash, text};

/// A longer value stands by itself.
pub(crate) const LONGEST: usize = 512;

const START: &str = r#"{"$blob":""#;
const END: &str = r#""}"#;

static STARTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(START));

/// What stands in the place of a value.
pub(crate) fn reference(hash: &Hash) -> String {
    [START, text(hash), END].concat()
}

/// The hash of the value that belongs here, if this is a reference.
pub(crate) fn referred(json: &str) -> Option<Hash> {
    json.strip_prefix(START)?.strip_suffix(END)?.as_bytes().try_into().ok()
}

/// Whether a value cannot stay where it is: it is too long, or looks like a reference.
pub(crate) fn is_cut(json: &str) -> bool {
    json.len() > LONGEST || referred(json).is_some()
}

/// Whether all of it can stay, without looking at its parts.
pub(crate) fn stays(json: &str) -> bool {
    json.len() <= LONGEST && has_no_reference(json)
}

/// Whether there is nothing in it that looks like a reference.
pub(crate) fn has_no_reference(json: &str) -> bool {
    STARTS.find(json.as_bytes()).is_none()
}

/// A value with other elements, if it is an array.
pub(crate) fn with_elements<E>(
    json: &str,
    mut replace: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    let Some(inner) = json.strip_prefix('[').and_then(|json| json.strip_suffix(']')) else { return Ok(None) };
    let mut replaced = String::with_capacity(json.len().min(1 << 16));
    replaced.push('[');
    let (mut rest, mut comma) = (inner, "");
    while !rest.is_empty() {
        let (element, after) = rest.split_at_checked(element(rest)).unwrap_or((rest, ""));
        replaced.push_str(comma);
        replaced.push_str(replace(element)?.as_deref().unwrap_or(element));
        (rest, comma) = (after.strip_prefix(',').unwrap_or_default(), ",");
    }
    replaced.push(']');
    Ok(Some(replaced))
}

/// How long the first element is.
fn element(json: &str) -> usize {
    let (mut depth, mut rest) = (0_u32, json.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        match byte {
            b',' if depth == 0 => break,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                rest = after_string(after);
                continue;
            }
            _ => {}
        }
        rest = after;
    }
    json.len() - rest.len()
}

/// What follows a string that has begun.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(found) = memchr2(b'"', b'\\', rest) {
        let is_end = rest.get(found) == Some(&b'"');
        rest = rest.get(found + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            break;
        }
    }
    rest
}
