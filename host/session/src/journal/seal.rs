//! How lines hang together: each carries the hash of the one before, and its own.

use sha2::{Digest as _, Sha256};

/// SHA-256 in hexadecimal.
pub(crate) type Hash = [u8; 64];

/// The hash before the first line.
pub(crate) const NONE: Hash = [b'0'; 64];

const PREV: &[u8] = br#","prev":""#;
const HASH: &[u8] = br#","hash":""#;
const END: &[u8] = br#""}"#;

/// The hash of these bytes.
pub(crate) fn hash(bytes: &[u8]) -> Hash {
    let mut hex = NONE;
    for (pair, byte) in hex.chunks_exact_mut(2).zip(Sha256::digest(bytes)) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    hex
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

/// A hash as text.
pub(crate) fn text(hash: &Hash) -> &str {
    std::str::from_utf8(hash).unwrap_or_default()
}

/// Ends a line, without its line end. Gives its hash.
pub(crate) fn seal(line: &mut Vec<u8>, prev: &Hash) -> Hash {
    line.extend_from_slice(PREV);
    line.extend_from_slice(prev);
    line.push(b'"');
    let hash = hash(line);
    line.extend_from_slice(HASH);
    line.extend_from_slice(&hash);
    line.extend_from_slice(END);
    hash
}

/// The end of a line: what it says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) prev: Hash,
    pub(crate) hash: Hash,
    /// Whether the line is as it was when it was sealed.
    pub(crate) intact: bool,
}

impl Seal {
    /// Reads the end of a line. Nothing when it does not end as lines do.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let (rest, hash) = split(line.strip_suffix(END)?, HASH)?;
        let (_, prev) = split(rest.strip_suffix(b"\"")?, PREV)?;
        Some(Self { prev, hash, intact: self::hash(rest) == hash })
    }
}

/// Takes a hash and what stands before it off the end.
fn split<'a>(line: &'a [u8], name: &[u8]) -> Option<(&'a [u8], Hash)> {
    let (rest, hash) = line.split_last_chunk()?;
    Some((rest.strip_suffix(name)?, *hash))
}
