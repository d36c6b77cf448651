//! Finds the passages and puts the new ones in. Knows no file.

use std::ops::Range;

use serde::Deserialize;

use super::hint::similar_line;
use super::text::{Normal, with_lf};

/// One passage and what takes its place.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    pub(super) old_text: String,
    pub(super) new_text: String,
}

/// Why no edit was made. Edits count from 1.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("the oldText of edit {0} is empty; give the passage to replace")]
    Empty(usize),
    #[error("the oldText and newText of edit {0} are the same, so it would change nothing")]
    NoChange(usize),
    #[error("the oldText of edit {0} is not in the file; read the file again and copy the passage exactly")]
    Missing(usize),
    #[error(
        "the oldText of edit {0} is not in the file, but line {1} looks like it and differs in quotes, dashes, width or \
         blanks; copy the passage exactly"
    )]
    Similar(usize, usize),
    #[error("the oldText of edit {0} occurs {1} times; add lines around it until it occurs once")]
    Ambiguous(usize, usize),
    #[error("edits {0} and {1} overlap; make them one edit")]
    Overlap(usize, usize),
}

/// A passage that was found: where in the original, and the bytes to put there.
struct Found {
    number: usize,
    span: Range<usize>,
    new: String,
}

/// The text with all changes made.
pub(super) fn apply(original: &str, changes: &[Change]) -> Result<String, Fault> {
    let normal = Normal::new(original);
    let numbered = changes.iter().enumerate();
    let mut found = numbered.map(|(index, change)| find(&normal, index + 1, change)).collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|found| found.span.start);
    for pair in found.windows(2) {
        if let [first, second] = pair
            && second.span.start < first.span.end
        {
            return Err(Fault::Overlap(first.number.min(second.number), first.number.max(second.number)));
        }
    }
    Ok(put(original, &normal, &found))
}

fn find(normal: &Normal, number: usize, change: &Change) -> Result<Found, Fault> {
    let (old, new) = (with_lf(&change.old_text), with_lf(&change.new_text));
    if old.is_empty() {
        return Err(Fault::Empty(number));
    }
    if old == new {
        return Err(Fault::NoChange(number));
    }
    let start = match count(&normal.text, &old) {
        (Some(start), 1) => start,
        (Some(_), times) => return Err(Fault::Ambiguous(number, times)),
        (None, _) => {
            return Err(
                similar_line(&normal.text, &old).map_or(Fault::Missing(number), |line| Fault::Similar(number, line))
            );
        }
    };
    Ok(Found { number, span: start..start + old.len(), new })
}

/// Where a text occurs first and how often, overlaps included.
fn count(text: &str, wanted: &str) -> (Option<usize>, usize) {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let (mut first, mut times, mut from) = (None, 0, 0);
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(wanted)) {
        first = first.or(Some(from + at));
        times += 1;
        from += at + step;
    }
    (first, times)
}

fn put(original: &str, normal: &Normal, found: &[Found]) -> String {
    let mut result = String::with_capacity(original.len());
    let mut done = 0;
    for found in found {
        let (span, new) = trim(normal, found);
        let bytes = normal.original(&span);
        result.push_str(original.get(done..bytes.start).unwrap_or_default());
        result.push_str(&new.replace('\n', normal.line_end_at(span.start)));
        done = bytes.end;
    }
    result.push_str(original.get(done..).unwrap_or_default());
    result
}

/// Leaves out what the passage and its replacement share at both ends: those bytes are not touched.
fn trim<'a>(normal: &Normal, found: &'a Found) -> (Range<usize>, &'a str) {
    let old = normal.text.get(found.span.clone()).unwrap_or_default();
    let start = shared(old.chars(), found.new.chars());
    let (old, new) = (old.get(start..).unwrap_or_default(), found.new.get(start..).unwrap_or_default());
    let end = shared(old.chars().rev(), new.chars().rev());
    let new = new.get(..new.len() - end).unwrap_or_default();
    (found.span.start + start..found.span.end - end, new)
}

fn shared(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}
