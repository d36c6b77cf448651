//! Where passages are in a text. In time that grows with the text and the passages, not with their product.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};
use memchr::memmem::Finder;
use tokio_util::sync::CancellationToken;

use super::apply::{Fault, go_on};

/// How much text is searched between two looks at the token, in bytes.
const PIECE: usize = 4 * 1024 * 1024;

/// Most bytes of passages that are looked for in one pass: the automaton takes about 40 times as much memory.
const BATCH: usize = 1024 * 1024;

/// Where each passage is, if it is there. No passage is empty.
///
/// # Errors
/// A passage that occurs twice, overlaps included; or a stop.
pub(super) fn places(text: &str, passages: &[String], stop: &CancellationToken) -> Result<Vec<Option<usize>>, Fault> {
    let mut places = Vec::with_capacity(passages.len());
    let mut rest = passages;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(batch_length(rest));
        let mut pass = Pass { text, before: places.len(), places: vec![None; batch.len()], stop };
        pass.run(batch)?;
        places.append(&mut pass.places);
        rest = after;
    }
    Ok(places)
}

/// How many of the first passages make a batch: at least one.
fn batch_length(passages: &[String]) -> usize {
    let mut bytes = 0;
    let fits = |passage: &&String| {
        bytes += passage.len();
        bytes <= BATCH
    };
    passages.iter().take_while(fits).count().max(1)
}

/// A search for the passages of one batch.
struct Pass<'a> {
    text: &'a str,
    /// How many passages come before the batch.
    before: usize,
    places: Vec<Option<usize>>,
    stop: &'a CancellationToken,
}

impl Pass<'_> {
    fn run(&mut self, batch: &[String]) -> Result<(), Fault> {
        let automaton = || AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(batch).ok();
        match (batch.len() > 1).then(automaton).flatten() {
            Some(automaton) => self.together(&automaton, batch.iter().map(String::len).max().unwrap_or(1)),
            None => batch.iter().enumerate().try_for_each(|(index, passage)| self.alone(index, passage.as_bytes())),
        }
    }

    fn alone(&mut self, index: usize, passage: &[u8]) -> Result<(), Fault> {
        let finder = Finder::new(passage);
        for (piece, _) in pieces(self.text.len(), passage.len()) {
            go_on(self.stop)?;
            let mut from = piece.start;
            while let Some(at) = self.text.as_bytes().get(from..piece.end).and_then(|rest| finder.find(rest)) {
                self.meet(index, from + at)?;
                from += at + 1;
            }
        }
        Ok(())
    }

    fn together(&mut self, automaton: &AhoCorasick, longest: usize) -> Result<(), Fault> {
        for (piece, end) in pieces(self.text.len(), longest) {
            go_on(self.stop)?;
            for found in automaton.find_overlapping_iter(Input::new(self.text).range(piece)) {
                // What starts later is met in the next piece.
                if found.start() < end {
                    self.meet(found.pattern().as_usize(), found.start())?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, index: usize, at: usize) -> Result<(), Fault> {
        match self.places.get_mut(index).and_then(|place| place.replace(at)) {
            None => Ok(()),
            Some(_) => Err(Fault::Ambiguous(self.before + index + 1)),
        }
    }
}

/// The pieces of a text, and where the next one starts. What starts before that and is not longer than `longest` lies in
/// the piece as a whole.
fn pieces(length: usize, longest: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let step = PIECE.max(longest);
    (0..length).step_by(step).map(move |start| (start..(start + step + longest - 1).min(length), start + step))
}
