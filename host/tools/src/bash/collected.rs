//! What a command prints, in bounded memory.

use super::cut;
use crate::limits::{MAX_BYTES, tail};

/// The most of it that is kept, in bytes.
pub(super) const MOST: usize = 4 << 20;

/// The longest character in UTF-8.
const CHARACTER: usize = 4;

/// Keeps the last bytes and counts them all.
#[derive(Debug, Default)]
pub(super) struct Collected {
    kept: Vec<u8>,
    total: u64,
}

impl Collected {
    /// Adds output.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.kept.extend_from_slice(bytes);
        // Twice the size, so that the bytes are seldom moved.
        if self.kept.len() > 2 * MOST {
            self.kept.drain(..self.kept.len() - MOST - CHARACTER);
        }
    }

    /// All that is kept of it, and how many bytes there were if that is not all. Bytes that are not UTF-8 become U+FFFD.
    pub(super) fn text(&self) -> (String, Option<u64>) {
        let all = text(&self.kept, MOST, self.total);
        let kept = tail(&all, MOST);
        let is_whole = self.total <= MOST as u64 && kept.len() == all.len();
        if is_whole { (all, None) } else { (kept.to_owned(), Some(self.total)) }
    }

    /// The last of it so far and the number of bytes there are, if there are more than before. A character of which only
    /// the start is there is left for the next time.
    pub(super) fn recent(&self, told: u64) -> Option<(u64, String)> {
        let whole = whole_characters(&self.kept);
        let total = self.total - (self.kept.len() - whole.len()) as u64;
        if total <= told {
            return None;
        }
        let recent = text(whole, MAX_BYTES, total);
        let begins = total <= MAX_BYTES as u64;
        let shown = cut::last_lines(&recent, begins);
        Some((total, if shown.len() == recent.len() && begins { recent } else { format!("[...]\n{shown}") }))
    }
}

/// The last bytes of these as text. There were `total` in all.
fn text(bytes: &[u8], most: usize, total: u64) -> String {
    let last = bytes.get(bytes.len().saturating_sub(most)..).unwrap_or_default();
    let is_cut = (last.len() as u64) < total;
    String::from_utf8_lossy(if is_cut { from_character(last) } else { last }).into_owned()
}

/// The bytes without the rest of a character whose start is gone.
fn from_character(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(CHARACTER - 1).take_while(|byte| **byte & 0xc0 == 0x80).count();
    bytes.get(rest..).unwrap_or_default()
}

/// The bytes without the start of a character whose rest is to come.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    let end = bytes.len().saturating_sub(CHARACTER);
    let last = bytes.get(end..).unwrap_or_default();
    let Some(start) = last.iter().rposition(|byte| *byte & 0xc0 != 0x80) else { return bytes };
    let begun = last.get(start..).unwrap_or_default();
    match std::str::from_utf8(begun) {
        Err(error) if error.error_len().is_none() => bytes.get(..end + start).unwrap_or_default(),
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(bytes: &[u8], size: usize) -> Collected {
        let mut collected = Collected::default();
        bytes.chunks(size).for_each(|chunk| collected.push(chunk));
        collected
    }

    #[test]
    fn what_is_not_too_long_is_kept_as_it_is() {
        for text in ["", "a", "a\n", "\n\n", "a\nb", "€", &"€".repeat(1_000_000)] {
            assert_eq!(pushed(text.as_bytes(), 997).text(), (text.to_owned(), None));
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        assert_eq!(pushed(b"a\xf0", 7).text().0, "a\u{fffd}");
        assert_eq!(pushed(b"\x80b", 7).text().0, "\u{fffd}b");
        // A replacement is longer than what it replaces.
        let (text, total) = pushed(&[0xff; 2 << 20], 999).text();
        assert!(text.len() <= MOST && total == Some(2 << 20));
    }

    #[test]
    fn of_a_flood_the_end_is_kept_between_characters() {
        let mut collected = pushed("€".repeat(7_000_000).as_bytes(), 4_096);
        collected.push(b"end");
        let (text, total) = collected.text();
        assert_eq!((text, total), ("€".repeat((MOST - 3) / 3) + "end", Some(21_000_003)));
        assert!(collected.kept.len() <= 2 * MOST);
    }

    #[test]
    fn live_text_waits_for_the_rest_of_a_character() {
        let mut collected = Collected::default();
        collected.push(b"a\xe2\x82");
        assert_eq!(collected.recent(0), Some((1, "a".to_owned())));
        assert_eq!(collected.recent(1), None);
        collected.push(b"\xac");
        assert_eq!(collected.recent(1), Some((4, "a€".to_owned())));
        assert_eq!(collected.recent(4), None);
    }

    #[test]
    fn live_text_is_the_end_of_it() {
        let collected = pushed(&b"line\n".repeat(100_000), 999);
        let (total, text) = collected.recent(0).unwrap();
        assert_eq!((total, text), (500_000, format!("[...]\n{}", "line\n".repeat(2_000))));
    }
}
