//! The lines of an audit: two columns under a name, as wide as the terminal.

use crate::terminal::style::{both_ends, one_line};

/// How long what a file says of itself gets, in characters.
const SHOWN: usize = 200;
/// How wide lines are when nobody says.
const USUAL: usize = 100;
/// Beyond this, lines are harder to read than to wrap.
const WIDEST: usize = 120;
/// Less than this is not wrapped for.
const NARROWEST: usize = 60;
/// Where what stands beside a name begins.
const MARGIN: usize = 14;
/// How wide the first of the columns may get.
const FIRST: usize = 28;
/// How wide the second one is at least.
const SECOND: usize = 24;

/// What the two columns of a line hold.
pub(super) type Row = (String, String);

/// How wide lines may be: as `COLUMNS` says, or as the terminal is.
pub(super) fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let width: Option<usize> = said.or_else(seen).filter(|width| *width > 0);
    width.unwrap_or(USUAL).clamp(NARROWEST, WIDEST)
}

/// A name, and beside it these rows.
pub(super) fn section(name: &str, rows: &[Row], width: usize) -> String {
    let widest = rows.iter().map(|(first, _)| first.chars().count()).max().unwrap_or_default();
    let first = if widest == 0 { 0 } else { widest.min(FIRST) + 2 };
    let second = width.saturating_sub(MARGIN + first).max(SECOND);
    let mut text = String::new();
    let mut name = name;
    for (head, rest) in rows {
        let lines = wrapped(rest, second);
        let mut head = head.as_str();
        // A name too long for its column has a line of its own.
        if head.chars().count() > FIRST && !rest.is_empty() {
            text.push_str(&line(name, head, "", first));
            (name, head) = ("", "");
        }
        for rest in &lines {
            text.push_str(&line(name, head, rest, first));
            (name, head) = ("", "");
        }
    }
    text
}

/// A name, and beside it a text.
pub(super) fn paragraph(name: &str, text: &str, width: usize) -> String {
    section(name, &[(String::new(), text.to_owned())], width)
}

fn line(name: &str, head: &str, rest: &str, first: usize) -> String {
    format!("{}\n", format!("  {name:<10}  {head:<first$}{rest}").trim_end())
}

/// Lines of at most so many characters; a longer word stays whole.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        match line.chars().count() + 1 + word.chars().count() <= width || line.is_empty() {
            true => line.push_str(&format!("{}{word}", if line.is_empty() { "" } else { " " })),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// What comes from a file: on one line, and not longer than a line or two.
pub(super) fn shown(text: &str) -> String {
    both_ends(&one_line(text, usize::MAX), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::{Row, paragraph, section};

    #[test]
    fn what_does_not_fit_goes_on_below_in_its_column() {
        let row = |first: &str, second: &str| -> Row { (first.to_owned(), second.to_owned()) };
        let rows = [row("one", "a text that is too long for its line"), row("three", "short")];
        let text = "  name        one    a text that is too long\n                     for its line\n              three  short\n";
        assert_eq!(section("name", &rows, 46), text);
        assert_eq!(paragraph("name", "only words", 60), "  name        only words\n");
    }

    #[test]
    fn a_long_name_has_a_line_of_its_own_and_a_long_word_stays_whole() {
        let (name, word) = ("n".repeat(40), "w".repeat(90));
        let text = format!("  name        {name}\n              {:30}{word}\n", "");
        assert_eq!(section("name", &[(name, word)], 60), text);
    }
}
