//! The end of a long output, in bounded memory.

use crate::limits::{MAX_BYTES, MAX_LINES, tail};

/// The longest character in UTF-8.
const CHARACTER: usize = 4;

/// Keeps the last bytes and counts the rest.
#[derive(Debug, Default)]
pub(super) struct Tail {
    kept: Vec<u8>,
    total: u64,
    lines: u64,
}

impl Tail {
    /// Adds output.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.kept.extend_from_slice(bytes);
        // Twice the size, so that the bytes are seldom moved.
        if self.kept.len() > 2 * MAX_BYTES {
            self.kept.drain(..self.kept.len() - MAX_BYTES - CHARACTER);
        }
    }

    /// All that is shown of it at the end. Bytes that are not UTF-8 become U+FFFD.
    pub(super) fn text(&self) -> String {
        self.show(&self.kept, self.total)
    }

    /// The text so far and the number of bytes it stands for, if there are more than before. A character of which only
    /// the start is there is left for the next time.
    pub(super) fn text_after(&self, told: u64) -> Option<(u64, String)> {
        let whole = whole_characters(&self.kept);
        let total = self.total - (self.kept.len() - whole.len()) as u64;
        (total > told).then(|| (total, self.show(whole, total)))
    }

    fn show(&self, kept: &[u8], total: u64) -> String {
        let is_cut = (kept.len() as u64) < total;
        let text = String::from_utf8_lossy(if is_cut { from_character(kept) } else { kept });
        let shown = last_lines(tail(&text, MAX_BYTES));
        if !is_cut && shown.len() == text.len() {
            return text.into_owned();
        }
        // A line whose start was cut off is shown only if it is the only one.
        let begins_line =
            text.strip_suffix(shown).is_none_or(|before| before.is_empty() && !is_cut || before.ends_with('\n'));
        let whole = shown.split_once('\n').filter(|(_, rest)| !begins_line && !rest.is_empty());
        let shown = whole.map_or(shown, |(_, rest)| rest);
        self.with_note(shown, total)
    }

    fn with_note(&self, shown: &str, total: u64) -> String {
        let lines = shown.split_inclusive('\n').count();
        let all = self.lines + u64::from(self.kept.last().is_some_and(|last| *last != b'\n'));
        let cut = total.saturating_sub(shown.len() as u64);
        let gap = if shown.ends_with('\n') { "\n" } else { "\n\n" };
        format!(
            "{shown}{gap}[Showing the last {lines} of {all} lines; {cut} bytes before them were cut. To keep all of it, \
             send the output to a file.]\n"
        )
    }
}

fn last_lines(text: &str) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let cut = body.rmatch_indices('\n').nth(MAX_LINES - 1);
    cut.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
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

    fn pushed(bytes: &[u8], size: usize) -> Tail {
        let mut tail = Tail::default();
        bytes.chunks(size).for_each(|chunk| tail.push(chunk));
        tail
    }

    #[test]
    fn short_output_is_kept_as_it_is() {
        for text in ["", "a", "a\n", "\n\n", "a\nb", "€"] {
            assert_eq!(pushed(text.as_bytes(), 1).text(), text);
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        assert_eq!(pushed(b"a\xf0", 7).text(), "a\u{fffd}");
        assert_eq!(pushed(b"\x80b", 7).text(), "\u{fffd}b");
        assert!(pushed(&[0xff; 200_000], 999).text().len() < MAX_BYTES + 200);
    }

    #[test]
    fn many_lines_keep_the_last() {
        let all: String = (1..=5_000).map(|line| format!("{line}\n")).collect();
        let shown: String = (3_001..=5_000).map(|line| format!("{line}\n")).collect();
        let note = format!(
            "\n[Showing the last 2000 of 5000 lines; {} bytes before them were cut. To keep all of it, send the output to \
             a file.]\n",
            all.len() - shown.len()
        );
        assert_eq!(pushed(all.as_bytes(), 100).text(), shown + &note);
    }

    #[test]
    fn long_lines_keep_whole_ones() {
        let line = "x".repeat(999) + "\n";
        let text = pushed(line.repeat(1_000).as_bytes(), 1_234).text();
        assert!(text.starts_with(&line.repeat(51)), "{}", &text[..100]);
        assert!(
            text.contains("x\n\n[Showing the last 51 of 1000 lines; 949000 bytes before them were cut. "),
            "{text}"
        );
    }

    #[test]
    fn one_long_line_is_cut_between_characters() {
        let text = pushed("€".repeat(1_000_000).as_bytes(), 4_096).text();
        let (line, note) = text.split_once("\n\n").unwrap();
        assert_eq!(line, "€".repeat(MAX_BYTES / 3));
        assert!(note.starts_with("[Showing the last 1 of 1 lines; 2948802 bytes"), "{note}");
    }

    #[test]
    fn live_text_waits_for_the_rest_of_a_character() {
        let mut tail = Tail::default();
        tail.push(b"a\xe2\x82");
        assert_eq!(tail.text_after(0), Some((1, "a".to_owned())));
        assert_eq!(tail.text_after(1), None);
        tail.push(b"\xac");
        assert_eq!(tail.text_after(1), Some((4, "a€".to_owned())));
        assert_eq!(tail.text_after(4), None);
    }
}
