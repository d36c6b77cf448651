//! A file's text with LF for each CRLF, and the way back to the bytes of the file.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};
use tokio_util::sync::CancellationToken;

use super::apply::{Fault, go_on};

/// A text to search in. A lone CR is no line end and stays as it is.
pub(super) struct Normal {
    /// The text with LF for each CRLF.
    pub(super) text: String,
    /// Where in `text` those LF are, in order.
    crlf: Vec<usize>,
}

impl Normal {
    pub(super) fn new(original: &str, stop: &CancellationToken) -> Result<Self, Fault> {
        let mut normal = Self { text: String::with_capacity(original.len()), crlf: Vec::new() };
        let mut done = 0;
        for at in memmem::find_iter(original.as_bytes(), "\r\n") {
            if normal.crlf.len().is_multiple_of(4096) {
                go_on(stop)?;
            }
            normal.text.push_str(original.get(done..at).unwrap_or_default());
            normal.crlf.push(normal.text.len());
            normal.text.push('\n');
            done = at + 2;
        }
        normal.text.push_str(original.get(done..).unwrap_or_default());
        Ok(normal)
    }

    /// A span of `text` as a span of the original.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.offset(span.start)..self.offset(span.end)
    }

    fn offset(&self, index: usize) -> usize {
        index + self.crlf.partition_point(|place| *place < index)
    }
}

/// The line ends of what is written at a place. Quick when the places are asked for in order.
pub(super) struct LineEnds<'a> {
    normal: &'a Normal,
    /// The line end that holds for these places, if the text has any.
    end: Option<usize>,
    places: Range<usize>,
}

impl<'a> LineEnds<'a> {
    pub(super) fn new(normal: &'a Normal) -> Self {
        Self { normal, end: None, places: 0..0 }
    }

    /// The line end at a place: that of the line it is in, else that of the line before.
    pub(super) fn at(&mut self, index: usize) -> &'static str {
        if !self.places.contains(&index) {
            let text = self.normal.text.as_bytes();
            let next = text.get(index..).and_then(|rest| memchr(b'\n', rest)).map(|end| index + end);
            self.end = next.or_else(|| memrchr(b'\n', text));
            self.places = index..next.map_or(usize::MAX, |next| next + 1);
        }
        if self.end.is_some_and(|end| self.normal.crlf.binary_search(&end).is_ok()) { "\r\n" } else { "\n" }
    }
}

/// A text with LF for each CRLF.
pub(super) fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}
