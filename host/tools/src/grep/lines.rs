//! The lines that a search finds in one file.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use crate::limits::MAX_BYTES;

/// The longest line shown, in characters.
const MAX_CHARACTERS: usize = 500;

/// Collects lines as they are shown.
pub(super) struct FileLines {
    path: String,
    left: usize,
    bytes: usize,
    pub(super) lines: Vec<String>,
    pub(super) matches: usize,
    /// Whether there are more matches than may be shown.
    pub(super) has_more: bool,
    /// Whether it is no text after all; its lines are worth nothing then.
    pub(super) is_binary: bool,
}

impl FileLines {
    /// For a file of this name, with at most so many matches.
    pub(super) fn new(path: String, left: usize) -> Self {
        Self { path, left, bytes: 0, lines: Vec::new(), matches: 0, has_more: false, is_binary: false }
    }

    fn add(&mut self, mark: char, number: Option<u64>, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches(['\n', '\r']);
        let cut = text.char_indices().nth(MAX_CHARACTERS).and_then(|(at, _)| text.get(..at));
        let (text, note) = cut.map_or((text, ""), |cut| (cut, "... [cut]"));
        let line = format!("{}{mark}{}{mark} {text}{note}", self.path, number.unwrap_or_default());
        self.bytes += line.len();
        self.lines.push(line);
    }
}

impl Sink for &mut FileLines {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.matches == self.left {
            self.has_more = true;
            return Ok(false);
        }
        self.matches += 1;
        self.add(':', found.line_number(), found.bytes());
        Ok(self.bytes <= MAX_BYTES)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // What comes before a match that is no longer shown is not shown either.
        if self.matches < self.left || !matches!(context.kind(), SinkContextKind::Before) {
            self.add('-', context.line_number(), context.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        if self.matches < self.left {
            self.lines.push("--".to_owned());
        }
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.is_binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}
