//! A file's text with LF for each CRLF, and the way back to the bytes of the file.

use std::ops::Range;

/// A text to search in. A lone CR is no line end and stays as it is.
pub(super) struct Normal {
    /// The text with LF for each CRLF.
    pub(super) text: String,
    /// Where in `text` those LF are, in order.
    crlf: Vec<usize>,
}

impl Normal {
    pub(super) fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut crlf = Vec::new();
        for (index, part) in original.split("\r\n").enumerate() {
            if index > 0 {
                crlf.push(text.len());
                text.push('\n');
            }
            text.push_str(part);
        }
        Self { text, crlf }
    }

    /// A span of `text` as a span of the original.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.offset(span.start)..self.offset(span.end)
    }

    fn offset(&self, index: usize) -> usize {
        index + self.crlf.partition_point(|place| *place < index)
    }

    /// The line end of what is written at a place: that of the line it is in, else that of the line before.
    pub(super) fn line_end_at(&self, index: usize) -> &'static str {
        let (before, after) = self.text.split_at_checked(index).unwrap_or((&self.text, ""));
        let end = after.find('\n').map(|end| index + end).or_else(|| before.rfind('\n'));
        if end.is_some_and(|end| self.crlf.binary_search(&end).is_ok()) { "\r\n" } else { "\n" }
    }
}

/// A text with LF for each CRLF.
pub(super) fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}
