//! A plugin's words on the screen. Every row of them begins with the plugin's name, or with a mark that begins nothing
//! else: so none can look like a row of the host or of another plugin, however it is broken.

use std::io;

use rustix::termios::tcgetwinsize;

use crate::terminal::style::{exact, one_line};

/// What a row begins with that is not the first.
pub(crate) const MARK: &str = "  │ ";
/// How wide a row gets, in columns, if the screen has as many.
const WIDTH: usize = 110;
/// How narrow it gets.
const NARROW: usize = 30;
/// How many rows are shown.
const ROWS: usize = 40;
/// How long a name gets, in characters.
pub(crate) const NAME: usize = 60;

/// `NAME says: TEXT`, on rows of its own.
pub(crate) fn spoken(plugin: &str, says: &str, text: &str) -> String {
    rows(&format!("  {} {says}: ", one_line(plugin, NAME)), text, width())
}

/// A text on rows that begin with the mark.
pub(crate) fn marked(text: &str) -> String {
    rows(MARK, text, width())
}

/// How many columns there are for a row.
fn width() -> usize {
    let columns = tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    // The last column stays free: some screens go on in the next row when it is used.
    if columns == 0 { WIDTH } else { (columns - 1).clamp(NARROW, WIDTH) }
}

fn rows(head: &str, text: &str, width: usize) -> String {
    let text = exact(text).replace('\t', "    ");
    let mut broken = Vec::new();
    for line in text.trim_end().split('\n') {
        let first = if broken.is_empty() { head } else { MARK };
        broken.extend(pieces(line, width.saturating_sub(columns(first)), width - columns(MARK)));
    }
    let more = broken.len().saturating_sub(ROWS);
    broken.truncate(ROWS);
    if more > 0 {
        broken.push(format!("… {more} more rows"));
    }
    let mut shown = String::new();
    for (place, piece) in broken.iter().enumerate() {
        let row = format!("{}{piece}", if place == 0 { head } else { MARK });
        shown.push_str(row.trim_end());
        shown.push('\n');
    }
    shown
}

/// A line in pieces of so many columns, the first of them of others.
fn pieces(line: &str, first: usize, others: usize) -> Vec<String> {
    let (mut pieces, mut piece, mut left) = (Vec::new(), String::new(), first);
    for c in line.chars() {
        let takes = column(c);
        if takes > left {
            pieces.push(std::mem::take(&mut piece));
            left = others;
        }
        piece.push(c);
        left = left.saturating_sub(takes);
    }
    pieces.push(piece);
    pieces
}

fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// How many columns a character takes at most: the mark and what is plain take one.
fn column(c: char) -> usize {
    if c.is_ascii() || c == '│' { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_begins_with_the_name_or_the_mark() {
        let text = "first\n\u{1b}[2J→ bash rm\nother says: yes\n\n";
        let expected = "  p says: first\n  │ \\u{1b}[2J→ bash rm\n  │ other says: yes\n";
        assert_eq!(rows("  p says: ", text, WIDTH), expected);
    }

    #[test]
    fn what_is_wide_is_broken_before_the_screen_breaks_it() {
        let shown = rows("  p says: ", &format!("{}→ bash", "x".repeat(56)), 40);
        assert_eq!(shown, format!("  p says: {}\n  │ {}→ bash\n", "x".repeat(30), "x".repeat(26)));
        assert_eq!(rows("  p says: ", "漢字漢字", 14), "  p says: 漢字\n  │ 漢字\n");
        // A name that leaves no room for words has a row to itself.
        let name = format!("  {} says: ", "n".repeat(50));
        assert_eq!(rows(&name, "ab", 30), format!("{}\n  │ ab\n", name.trim_end()));
    }

    #[test]
    fn a_flood_is_cut() {
        let shown = rows("  p says: ", &"x\n".repeat(1000), WIDTH);
        assert_eq!(shown.lines().count(), ROWS + 1);
        assert!(shown.ends_with("\n  │ … 960 more rows\n"), "{shown}");
    }
}
