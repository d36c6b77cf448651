//! One pass over a text: at each place the shapes are tried, and what they find is replaced.
//!
//! Linear time: a shape that does not match has looked at a bounded number of bytes, or at a run in which it is tried
//! once only.

use crate::escapes::Seen;
use crate::{assignment, private_key, shapes};

/// A secret in a text.
#[derive(Debug, PartialEq)]
pub(crate) struct Secret {
    /// Where it starts, in bytes; a private key may start before the place where it was tried.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// What kind of secret it is.
    pub(crate) kind: &'static str,
}

/// The text without its secrets; `None` when it has none. A secret goes with the colour codes in it.
pub(crate) fn redact(text: &str) -> Option<String> {
    let seen = Seen::of(text);
    let mut redacted = String::new();
    let mut done = 0;
    let mut copied = 0;
    for at in 0..seen.bytes.len() {
        if at < done {
            continue;
        }
        if let Some(secret) = find(&seen, at, done) {
            redacted.push_str(text.get(copied..seen.place(secret.start))?);
            redacted.push_str("[redacted: ");
            redacted.push_str(secret.kind);
            redacted.push(']');
            done = secret.end;
            copied = seen.end(secret.end);
        }
    }
    if done == 0 {
        return None;
    }
    redacted.push_str(text.get(copied..)?);
    Some(redacted)
}

/// The secret that the byte at `at` begins, leads to or ends; nothing before `done`. All shapes begin and end with
/// ASCII, or at the end of the text.
fn find(seen: &Seen, at: usize, done: usize) -> Option<Secret> {
    let text = &seen.bytes;
    match text.get(at)? {
        b'-' => private_key::whole(text, at).or_else(|| private_key::without_begin(text, at, done)),
        b'=' => assignment::value(text, at),
        b':' => shapes::url_password(text, at).or_else(|| assignment::value(text, at)),
        byte if byte.is_ascii_alphabetic() => {
            let behind_escape = seen.behind_escape(at);
            if !behind_escape && !shapes::starts_word(text, at) {
                return None;
            }
            shapes::token(text, at)
                .or_else(|| shapes::jwt(text, at, behind_escape))
                .or_else(|| shapes::bearer(text, at))
                .or_else(|| private_key::body(text, at))
        }
        _ => None,
    }
}
