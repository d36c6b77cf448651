//! Private keys in PEM, whole or a part of one that still shows what it is.

use crate::scan::Secret;
use crate::shapes::{is_upper_or_digit, run};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const KIND: &str = "private-key";

/// A line of base64 in the middle of a key is no shorter.
const LEAST_LINE: usize = 32;
/// Nor is the first line of a key.
const LEAST_FIRST_LINE: usize = 60;

/// What may stand in front of it on its line: a number, the name of the file.
const LONGEST_FRONT: usize = 256;

/// How keys start in base64; a `.` may be anything. Certificates and public keys start otherwise.
const STARTS: &[&[u8]] = &[
    b"MII...IBA",              // RSA and DSA, and RSA in PKCS #8
    b"MII.....BgkqhkiG9w0BBQ", // encrypted
    b"MI..AgEA",               // EC in PKCS #8
    b"MI..AgEBBD",             // EC of 384 bits
    b"MI..AgEBBE",             // EC of 521 bits
    b"MH.CAQEE",               // EC of 256 bits
    b"M..CAQ.wBQYDK2V",        // Ed25519 and X25519
    b"b3BlbnNzaC1rZXktdjE",    // OpenSSH
];

/// With its first and last line; to the end of the text when it has no last line.
pub(crate) fn whole(text: &[u8], at: usize) -> Option<Secret> {
    let body = name_end(text, at, BEGIN)?;
    let end = position(text.get(body..)?, END).map_or(text.len(), |found| last_line(text, body + found));
    Some(Secret { start: at, end, kind: KIND })
}

/// A last line without a first one: with the base64 in front of it, on its own line when the breaks are written `\n`,
/// and on those before. It does not reach before `floor`.
pub(crate) fn without_begin(text: &[u8], at: usize, floor: usize) -> Option<Secret> {
    name_end(text, at, END)?;
    let before = text.get(floor..at)?;
    let same_line = before.len() - body_at_end(before);
    let mut start = Some(same_line).filter(|start| *start < before.len());
    let mut least = 1;
    let mut rest = before.get(..same_line)?;
    // What stands in front on a line is short, so what is no key costs little.
    while let Some(line) = rest.iter().rev().take(LONGEST_FRONT).position(|byte| *byte == b'\n') {
        let line = rest.get(..rest.len() - line - 1)?;
        let line = line.trim_ascii_end();
        let length = body_at_end(line);
        if length < least {
            break;
        }
        least = LEAST_LINE;
        start = Some(line.len() - length);
        rest = line.get(..line.len() - length)?;
    }
    Some(Secret { start: floor + start?, end: last_line(text, at), kind: KIND })
}

/// A key without its first line: known by how its base64 starts, with the lines of base64 that follow.
pub(crate) fn body(text: &[u8], at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    let starts = |start: &&&[u8]| {
        rest.get(..start.len()).is_some_and(|text| start.iter().zip(text).all(|(a, b)| *a == b'.' || a == b))
    };
    STARTS.iter().find(starts)?;
    let first = run(text, at, is_body);
    let mut end = at + first;
    loop {
        let line = end + run(text.get(..text.len().min(end + 2))?, end, |byte| b"\r\n".contains(byte));
        let length = run(text, line, is_body);
        if line == end || length < LEAST_LINE {
            break;
        }
        end = line + length;
    }
    (first >= LEAST_FIRST_LINE).then_some(Secret { start: at, end, kind: KIND })
}

/// How much base64 stands at the end. What a line has in front of it, such as its number, does not matter.
fn body_at_end(line: &[u8]) -> usize {
    line.iter().rev().take_while(|byte| is_body(byte)).count()
}

/// Base64, and the backslash of a line break that is written `\n`.
fn is_body(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\\".contains(byte)
}

/// Where the name of a private key ends, behind `mark`.
fn name_end(text: &[u8], at: usize, mark: &[u8]) -> Option<usize> {
    let name = text.get(at..)?.strip_prefix(mark)?;
    let length = run(name.get(..40).unwrap_or(name), 0, |byte| is_upper_or_digit(byte) || *byte == b' ');
    position(name.get(..length)?, b"PRIVATE KEY").map(|_| at + mark.len() + length)
}

/// The end of `-----END ... -----`, which starts at `at`.
fn last_line(text: &[u8], at: usize) -> usize {
    let name = at + END.len();
    let dashes = name + run(text, name, |byte| is_upper_or_digit(byte) || *byte == b' ');
    dashes + run(text, dashes, |byte| *byte == b'-')
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
