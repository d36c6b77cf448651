//! The model's reasoning as it comes: dim, a paragraph of its own, and every line of it behind a bar, so that nobody takes
//! it for the answer, without colours too.

use std::io::IsTerminal as _;

use crate::terminal::style::{Style, clean};

/// What each line begins with.
const BAR: &str = "│ ";

/// Reasoning on its way to the screen.
#[derive(Debug)]
pub(super) struct Thinking {
    style: Style,
    /// How wide a line gets, in characters; none when it is not shown at all.
    width: Option<usize>,
    /// How much stands in the line, if one was begun.
    column: Option<usize>,
    /// Whether any of it was shown.
    is_shown: bool,
}

impl Thinking {
    /// Shown at a terminal alone: whoever reads a pipe wants the answer.
    pub(super) fn for_stdout(style: Style) -> Self {
        let stdout = std::io::stdout();
        let size = || rustix::termios::tcgetwinsize(&stdout).ok();
        let columns = || size().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        let width = stdout.is_terminal().then(|| columns().map_or(usize::MAX, |columns| columns.saturating_sub(1)));
        Self { style, width, column: None, is_shown: false }
    }

    /// What is printed of a piece.
    pub(super) fn piece(&mut self, piece: &str) -> String {
        let Some(width) = self.width else { return String::new() };
        let mut plain = String::new();
        for part in clean(piece).split_inclusive([' ', '\n']) {
            let word = part.strip_suffix('\n').unwrap_or(part);
            self.word(word, width, &mut plain);
            if word.len() < part.len() {
                plain.push('\n');
                self.column = None;
            }
        }
        let dim = |line: &str| if line.is_empty() { String::new() } else { self.style.dim(line) };
        plain.split('\n').map(dim).collect::<Vec<_>>().join("\n")
    }

    /// Adds a word, on a new line if it has no room. A word that has none on any is left to the terminal.
    fn word(&mut self, word: &str, width: usize, plain: &mut String) {
        let needed = BAR.chars().count() + word.trim_end().chars().count();
        let is_full = |column: &usize| *column > 0 && column + needed > width;
        if self.column.take_if(|column| is_full(column)).is_some() {
            plain.push('\n');
        }
        if self.column.is_none() {
            plain.push_str(BAR);
            self.is_shown = true;
        }
        plain.push_str(word);
        self.column = Some(self.column.unwrap_or(0) + word.chars().count());
    }

    /// What is printed at the end of it, if anything was shown of it.
    pub(super) fn end(&mut self) -> &'static str {
        match (std::mem::take(&mut self.is_shown), self.column.take()) {
            (true, Some(_)) => "\n\n",
            (true, None) => "\n",
            (false, _) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: Option<usize>, pieces: &[&str]) -> String {
        let mut thinking = Thinking { style: Style::plain(), width, column: None, is_shown: false };
        let mut shown: String = pieces.iter().map(|piece| thinking.piece(piece)).collect();
        shown.push_str(thinking.end());
        shown
    }

    #[test]
    fn every_line_stands_behind_a_bar() {
        assert_eq!(shown(Some(80), &["One", " two.\n\nThr", "ee"]), "│ One two.\n│ \n│ Three\n\n");
        assert_eq!(shown(Some(12), &["one two", " three four"]), "│ one two \n│ three four\n\n");
        assert_eq!(shown(Some(5), &["abcdefgh i"]), "│ abcdefgh \n│ i\n\n");
        assert_eq!(shown(Some(80), &["One\n"]), "│ One\n\n");
    }

    #[test]
    fn nothing_is_shown_where_nothing_comes_or_nobody_looks() {
        assert_eq!(shown(Some(80), &[]), "");
        assert_eq!(shown(None, &["One\n"]), "");
    }
}
