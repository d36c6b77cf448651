//! What an edit changed, for people.

use std::time::Duration;

use similar::TextDiff;

use crate::limits::{MAX_BYTES, head};

/// A unified diff, three lines around each change, cut at the size of a result.
pub(super) fn unified(old: &str, new: &str) -> String {
    let diff = TextDiff::configure().timeout(Duration::from_millis(500)).diff_lines(old, new);
    let text = diff.unified_diff().context_radius(3).to_string();
    head(&text, MAX_BYTES).to_owned()
}

/// The first line that differs, from 1.
pub(super) fn first_changed_line(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new);
    same.filter(|(byte, _)| *byte == b'\n').count() + 1
}
