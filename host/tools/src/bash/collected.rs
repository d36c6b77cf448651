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
    /// How many bytes there are up to the last line end.
    ended: u64,
}

impl Collected {
    /// Adds output.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n') {
            self.ended = self.total + last as u64 + 1;
        }
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

    /// The last whole lines so far and the number of bytes up to their end, if there are more than before. Of a line
    /// nothing is told before its end is there, and nothing when its start is cut off: who looks for a secret in it has
    /// to see all of it.
    pub(super) fn recent(&self, told: u64) -> Option<(u64, String)> {
        if self.ended <= told {
            return None;
        }
        let begun = usize::try_from(self.total - self.ended).ok()?;
        let ended = self.kept.get(..self.kept.len().checked_sub(begun)?)?;
        let recent = text(ended, MAX_BYTES, self.ended);
        let begins = self.ended <= MAX_BYTES as u64;
        let shown = cut::whole_lines(&recent, begins);
        Some((self.ended, if shown.len() == recent.len() && begins { recent } else { format!("[...]\n{shown}") }))
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
    fn live_text_waits_for_the_end_of_a_line() {
        let mut collected = Collected::default();
        collected.push(b"a\nb\xe2\x82");
        assert_eq!(collected.recent(0), Some((2, "a\n".to_owned())));
        assert_eq!(collected.recent(2), None);
        collected.push(b"\xac");
        assert_eq!(collected.recent(2), None);
        collected.push(b"\nc");
        assert_eq!(collected.recent(2), Some((7, "a\nb€\n".to_owned())));
        assert_eq!(collected.recent(7), None);
    }

    #[test]
    fn live_text_holds_no_line_whose_start_is_cut_off() {
        let long = "x".repeat(MAX_BYTES);
        let collected = pushed(format!("{long}\n").as_bytes(), 999);
        assert_eq!(collected.recent(0).unwrap().1, "[...]\n");
        let collected = pushed(format!("a\n{long}x\nb\n").as_bytes(), 999);
        assert_eq!(collected.recent(0).unwrap().1, "[...]\nb\n");
        // An endless line after it: what is no longer kept is not told.
        let collected = pushed(format!("a\n{}", "x".repeat(3 * MOST)).as_bytes(), 65_536);
        assert_eq!(collected.recent(0), None);
    }

    #[test]
    fn live_text_is_the_end_of_it() {
        let collected = pushed(&b"line\n".repeat(100_000), 999);
        let (total, text) = collected.recent(0).unwrap();
        assert_eq!((total, text), (500_000, format!("[...]\n{}", "line\n".repeat(2_000))));
    }
}
