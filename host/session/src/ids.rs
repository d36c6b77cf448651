//! Names for what is new: eight hexadecimal digits for an entry, a UUID of version 7 for a session, as in the reference.
//! They are unique, not secret.

use std::hash::{BuildHasher, RandomState};

use crate::time;

#[cfg(test)]
mod tests;

/// How often a short id is tried before a long one is taken.
const TRIES: usize = 100;

/// An id for an entry that no other entry of the session has.
pub(crate) fn entry(taken: impl Fn(&str) -> bool) -> String {
    let short = (0..TRIES).map(|_| format!("{:08x}", random() & 0xffff_ffff)).find(|id| !taken(id));
    short.unwrap_or_else(session)
}

/// An id for a session: the time, then chance.
pub(crate) fn session() -> String {
    let (millis, high, low) = (time::now() & 0xffff_ffff_ffff, random(), random());
    let (first, second) = (millis >> 16, millis & 0xffff);
    let (third, fourth) = (high & 0xfff, (low >> 48) & 0x3fff | 0x8000);
    format!("{first:08x}-{second:04x}-7{third:03x}-{fourth:04x}-{:012x}", low & 0xffff_ffff_ffff)
}

/// Whether a session may have this id. Letters and digits at both ends; `.`, `_` and `-` also within.
pub(crate) fn allowed(id: &str) -> bool {
    let ends = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
    let within = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    ends(id.chars().next()) && ends(id.chars().last()) && id.chars().all(within)
}

/// Chance, from the keys that the standard library draws for a hash map.
fn random() -> u64 {
    RandomState::new().hash_one(())
}
