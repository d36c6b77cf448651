//! Helps a model whose passage differs from the file in what is hard to see.

use memchr::memmem;

/// The longest text that is looked at, in bytes: this is only help.
const MAX: usize = 4 * 1024 * 1024;

/// The line where a passage would be found if quotes, dashes, widths and blanks at line ends did not matter.
pub(super) fn similar_line(text: &str, passage: &str) -> Option<usize> {
    if text.len().max(passage.len()) > MAX {
        return None;
    }
    let (text, passage) = (fold(text), fold(passage));
    let passage = passage.trim();
    if passage.is_empty() {
        return None;
    }
    let before = text.get(..memmem::find(text.as_bytes(), passage.as_bytes())?)?;
    Some(before.matches('\n').count() + 1)
}

fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split('\n') {
        folded.extend(line.trim_end().chars().map(plain));
        folded.push('\n');
    }
    folded
}

fn plain(letter: char) -> char {
    match letter {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        // Full width forms stand in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        other => other,
    }
}
