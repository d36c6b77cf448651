//! Makes a line readable that a JSON parser refuses though the reference takes it: bytes that are no UTF-8, and escapes of
//! half a surrogate pair. Both become U+FFFD. Only what is read is mended, never the file.

use std::borrow::Cow;

use crate::notice::Problem;

#[cfg(test)]
mod tests;

/// A line that was loaded before, mended.
pub(crate) fn mended(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) if !may_have_surrogates(text) => Cow::Borrowed(text),
        _ => {
            let mut line = line.to_vec();
            mend(&mut line);
            Cow::Owned(String::from_utf8_lossy(&line).into_owned())
        }
    }
}

/// Mends a line in place, and says what it found.
pub(crate) fn mend(line: &mut Vec<u8>) -> Vec<Problem> {
    let mut found = Vec::new();
    if std::str::from_utf8(line).is_err() {
        *line = String::from_utf8_lossy(line).into_owned().into_bytes();
        found.push(Problem::NotUtf8);
    }
    if std::str::from_utf8(line).is_ok_and(may_have_surrogates) && mend_pairs(line) {
        found.push(Problem::HalfPair);
    }
    found
}

/// A quick look: nearly no line has an escape of a surrogate.
fn may_have_surrogates(text: &str) -> bool {
    text.contains("\\ud") || text.contains("\\uD")
}

/// Replaces each escape of a surrogate without its other half. An escape is as long as the one for U+FFFD.
fn mend_pairs(line: &mut [u8]) -> bool {
    let (mut at, mut mended) = (0, false);
    while let Some(rest) = line.get_mut(at..).filter(|rest| !rest.is_empty()) {
        at += match (rest.first(), escaped(rest)) {
            (_, Some(0xd800..0xdc00)) if matches!(rest.get(6..).and_then(escaped), Some(0xdc00..0xe000)) => 12,
            (_, Some(0xd800..0xe000)) => {
                rest.iter_mut().skip(2).zip(*b"fffd").for_each(|(digit, new)| *digit = new);
                mended = true;
                6
            }
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
    }
    mended
}

/// The code unit that an escape at the start of a text stands for.
fn escaped(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
