//! One pass over a text: at each place the shapes are tried, and what they find is replaced.
//!
//! Linear time: a shape that does not match has looked at a bounded number of bytes, or at a run in which it is tried
//! once only.

use crate::{assignment, shapes};

/// A secret in a text.
#[derive(Debug, PartialEq)]
pub(crate) struct Secret {
    /// Where it starts, in bytes; at or after the place where it was tried.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// What kind of secret it is.
    pub(crate) kind: &'static str,
}

/// The text without its secrets; `None` when it has none.
pub(crate) fn redact(text: &str) -> Option<String> {
    let mut redacted = String::new();
    let mut done = 0;
    for at in 0..text.len() {
        if at < done {
            continue;
        }
        if let Some(secret) = find(text.as_bytes(), at) {
            redacted.push_str(text.get(done..secret.start)?);
            redacted.push_str("[redacted: ");
            redacted.push_str(secret.kind);
            redacted.push(']');
            done = secret.end;
        }
    }
    if done == 0 {
        return None;
    }
    redacted.push_str(text.get(done..)?);
    Some(redacted)
}

/// The secret that the byte at `at` begins or leads to. All shapes begin and end with ASCII, or at the end of the text.
fn find(text: &[u8], at: usize) -> Option<Secret> {
    match text.get(at)? {
        b'-' => shapes::private_key(text, at),
        b'=' => assignment::value(text, at),
        b':' => shapes::url_password(text, at).or_else(|| assignment::value(text, at)),
        _ if shapes::starts_word(text, at) => {
            shapes::token(text, at).or_else(|| shapes::jwt(text, at)).or_else(|| shapes::bearer(text, at))
        }
        _ => None,
    }
}
