//! A text without its colour codes, which split what they mark: `ghp_` in red, the rest in white.

use std::borrow::Cow;

/// The bytes that are seen, and where each stands in the text.
pub(crate) struct Seen<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Empty when nothing was taken out.
    places: Vec<usize>,
    length: usize,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let length = text.len();
        if !text.contains('\x1b') {
            return Self { bytes: Cow::Borrowed(text.as_bytes()), places: Vec::new(), length };
        }
        let mut at = 0;
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        while let Some(byte) = text.as_bytes().get(at) {
            let skipped = escape(text.as_bytes(), at);
            if skipped == 0 {
                bytes.push(*byte);
                places.push(at);
            }
            at += skipped.max(1);
        }
        Self { bytes: Cow::Owned(bytes), places, length }
    }

    /// Where the byte stands in the text.
    pub(crate) fn place(&self, at: usize) -> usize {
        match self.places.is_empty() {
            true => at.min(self.length),
            false => self.places.get(at).copied().unwrap_or(self.length),
        }
    }

    /// Where a span that ends in front of this byte ends in the text: before any escape that follows.
    pub(crate) fn end(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.place(last) + 1)
    }

    /// Whether an escape stands in front of the byte.
    pub(crate) fn behind_escape(&self, at: usize) -> bool {
        !self.places.is_empty() && self.place(at) != at.checked_sub(1).map_or(0, |before| self.place(before) + 1)
    }
}

/// The length of `ESC [ ... m` and its like at `at`; 0 when there is none.
fn escape(text: &[u8], at: usize) -> usize {
    const LONGEST: usize = 64;
    let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(b"\x1b[")) else { return 0 };
    let length = rest.iter().take(LONGEST).take_while(|byte| (0x20..0x40).contains(*byte)).count();
    if rest.get(length).is_some_and(|last| (0x40..0x7f).contains(last)) { length + 3 } else { 0 }
}
