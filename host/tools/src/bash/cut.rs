//! Cuts a long text to what a result may hold: its last lines.

use crate::limits::{MAX_BYTES, MAX_LINES, tail};

/// The last lines of a text, if it is too long for a result.
pub(super) fn cut(text: &str) -> Option<&str> {
    let (begun, whole) = last_lines(text, true);
    // A line whose start is cut off is left out, unless it is most of what there is.
    let shown = if whole.len() > MAX_BYTES / 2 { whole } else { begun };
    (shown.len() < text.len()).then_some(shown)
}

/// The last whole lines of a text, as many as a result may hold. `begins`: it begins with the start of a line.
pub(super) fn whole_lines(text: &str, begins: bool) -> &str {
    last_lines(text, begins).1
}

/// The last lines of a text, as many as a result may hold, and those of them whose start is not cut off.
fn last_lines(text: &str, begins: bool) -> (&str, &str) {
    let shown = last(tail(text, MAX_BYTES));
    let before = text.strip_suffix(shown).unwrap_or_default();
    let is_whole = before.ends_with('\n') || before.is_empty() && begins;
    let whole = if is_whole { shown } else { shown.split_once('\n').map_or("", |(_, rest)| rest) };
    (shown, whole)
}

/// The note on a cut: how much is shown of how much. `rest` says where the rest is.
pub(super) fn note(shown: &str, whole: &str, rest: &str) -> String {
    let lines = |text: &str| text.split_inclusive('\n').count();
    let (some, all) = (lines(shown), lines(whole));
    let gap = if shown.ends_with('\n') { "\n" } else { "\n\n" };
    let cut = whole.len() - shown.len();
    format!("{gap}[Showing the last {some} of {all} lines; {cut} bytes before them were cut. {rest}]\n")
}

fn last(text: &str) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let cut = body.rmatch_indices('\n').nth(MAX_LINES - 1);
    cut.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_not_cut() {
        for text in ["", "a", "a\n", "\n\n", &"x".repeat(MAX_BYTES), &"\n".repeat(MAX_LINES)] {
            assert_eq!(cut(text), None);
        }
    }

    #[test]
    fn many_lines_keep_the_last() {
        let all: String = (1..=5_000).map(|line| format!("{line}\n")).collect();
        let shown: String = (3_001..=5_000).map(|line| format!("{line}\n")).collect();
        assert_eq!(cut(&all), Some(&*shown));
        let cut = all.len() - shown.len();
        let wanted = format!("\n[Showing the last 2000 of 5000 lines; {cut} bytes before them were cut. Ask.]\n");
        assert_eq!(note(&shown, &all, "Ask."), wanted);
    }

    #[test]
    fn long_lines_keep_whole_ones() {
        let line = "x".repeat(999) + "\n";
        assert_eq!(cut(&line.repeat(1_000)), Some(&*line.repeat(51)));
    }

    #[test]
    fn one_long_line_is_cut_between_characters() {
        let end = "\n\nIt failed.";
        let text = "€".repeat(1_000_000) + end;
        assert_eq!(cut(&text), Some(&*("€".repeat((MAX_BYTES - end.len()) / 3) + end)));
    }
}
