//! Finds the passages and puts the new ones in. Knows no file.

use std::ops::Range;

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::hint::similar_line;
use super::seek::places;
use super::text::{LineEnds, Normal, with_lf};

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
    #[error("the oldText of edit {0} occurs more than once; add lines around it until it occurs once")]
    Ambiguous(usize),
    #[error("edits {0} and {1} overlap; make them one edit")]
    Overlap(usize, usize),
    #[error("the call was aborted")]
    Stopped,
}

/// Goes on unless the call is to stop.
pub(super) fn go_on(stop: &CancellationToken) -> Result<(), Fault> {
    if stop.is_cancelled() { Err(Fault::Stopped) } else { Ok(()) }
}

/// A passage that was found: where in the original, and the bytes to put there.
struct Found {
    number: usize,
    span: Range<usize>,
    new: String,
}

/// The text with all changes made.
pub(super) fn apply(original: &str, changes: &[Change], stop: &CancellationToken) -> Result<String, Fault> {
    let normal = Normal::new(original, stop)?;
    let mut found = find(&normal, changes, stop)?;
    found.sort_by_key(|found| found.span.start);
    for pair in found.windows(2) {
        if let [first, second] = pair
            && second.span.start < first.span.end
        {
            return Err(Fault::Overlap(first.number.min(second.number), first.number.max(second.number)));
        }
    }
    put(original, &normal, &found, stop)
}

/// Where each passage is.
fn find(normal: &Normal, changes: &[Change], stop: &CancellationToken) -> Result<Vec<Found>, Fault> {
    let numbered = changes.iter().enumerate();
    let wanted = numbered.map(|(index, change)| wanted(index + 1, change)).collect::<Result<Vec<_>, _>>()?;
    let (old, new): (Vec<String>, Vec<String>) = wanted.into_iter().unzip();
    let places = places(&normal.text, &old, stop)?;
    let all = places.into_iter().zip(old.iter().zip(new)).enumerate();
    all.map(|(index, (place, (old, new)))| {
        let number = index + 1;
        let start = place.ok_or_else(|| missing(&normal.text, number, old))?;
        Ok(Found { number, span: start..start + old.len(), new })
    })
    .collect()
}

/// The passage and what takes its place, with LF for each CRLF.
fn wanted(number: usize, change: &Change) -> Result<(String, String), Fault> {
    let (old, new) = (with_lf(&change.old_text), with_lf(&change.new_text));
    match () {
        () if old.is_empty() => Err(Fault::Empty(number)),
        () if old == new => Err(Fault::NoChange(number)),
        () => Ok((old, new)),
    }
}

fn missing(text: &str, number: usize, old: &str) -> Fault {
    similar_line(text, old).map_or(Fault::Missing(number), |line| Fault::Similar(number, line))
}

fn put(original: &str, normal: &Normal, found: &[Found], stop: &CancellationToken) -> Result<String, Fault> {
    let mut result = String::with_capacity(original.len());
    let (mut done, mut ends) = (0, LineEnds::new(normal));
    for found in found {
        go_on(stop)?;
        let (span, new) = trim(normal, found);
        let bytes = normal.original(&span);
        result.push_str(original.get(done..bytes.start).unwrap_or_default());
        result.push_str(&new.replace('\n', ends.at(span.start)));
        done = bytes.end;
    }
    result.push_str(original.get(done..).unwrap_or_default());
    Ok(result)
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
