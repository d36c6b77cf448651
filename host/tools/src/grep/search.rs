//! Searches files that are met on a walk.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::overrides::Override;
use seam_loop::tool::{ToolError, ToolOutput};
use tokio_util::sync::CancellationToken;

use super::Arguments;
use super::lines::FileLines;
use crate::output::Lines;
use crate::path::{Folder, Opened, Workspace, reason};
use crate::walk::{Met, Passed, walk};

/// The longest line that is searched, in bytes.
const MAX_LINE: usize = 32 * 1024 * 1024;

pub(super) struct Search<'a> {
    arguments: &'a Arguments,
    workspace: &'a Workspace,
    matcher: &'a RegexMatcher,
    files: &'a Override,
    abort: &'a CancellationToken,
    searcher: Searcher,
    lines: Lines,
    /// How many matches may still come.
    left: usize,
    has_more: bool,
    /// How many files were left out that are closed to it.
    closed: usize,
    passed: Passed,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        arguments: &'a Arguments,
        workspace: &'a Workspace,
        matcher: &'a RegexMatcher,
        files: &'a Override,
        abort: &'a CancellationToken,
    ) -> Self {
        let mut builder = SearcherBuilder::new();
        builder.binary_detection(BinaryDetection::quit(0)).heap_limit(Some(MAX_LINE));
        builder
            .line_terminator(LineTerminator::crlf())
            .before_context(arguments.context)
            .after_context(arguments.context);
        let (searcher, lines, left) = (builder.build(), Lines::default(), arguments.limit);
        let passed = Passed::default();
        Self { arguments, workspace, matcher, files, abort, searcher, lines, left, has_more: false, closed: 0, passed }
    }

    pub(super) fn run(mut self, opened: Opened) -> Result<ToolOutput, ToolError> {
        let searched = match opened {
            Opened::File(opened) => self.file(&opened.path, &opened.file).map(|_| ()),
            Opened::Folder(folder) => self.folder(&folder),
        };
        let path = &self.arguments.path;
        searched.map_err(|error| ToolError::Failed(format!("`{path}` cannot be searched: {}.", reason(&error))))?;
        self.finish()
    }

    fn folder(&mut self, folder: &Folder) -> io::Result<()> {
        let passed = walk(folder, |met| self.meet(met))?;
        self.passed.unreadable += passed.unreadable;
        self.passed.ignore_files = passed.ignore_files;
        Ok(())
    }

    fn meet(&mut self, met: &Met<'_>) -> ControlFlow<()> {
        if self.abort.is_cancelled() {
            return ControlFlow::Break(());
        }
        if self.files.matched(met.path, met.is_folder()).is_ignore() {
            return ControlFlow::Continue(());
        }
        if !met.is_folder() && self.workspace.is_closed(met.path) {
            self.closed += 1;
            return ControlFlow::Continue(());
        }
        match met.file().map(|file| file.and_then(|file| self.file(met.path, &file))) {
            Some(Ok(flow)) => flow,
            Some(Err(_)) => {
                self.passed.unreadable += 1;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    fn file(&mut self, path: &Path, file: &File) -> io::Result<ControlFlow<()>> {
        let mut found = FileLines::new(self.workspace.show(path), self.left);
        self.searcher.search_file(self.matcher, file, &mut found)?;
        if found.is_binary {
            return Ok(ControlFlow::Continue(()));
        }
        self.left -= found.matches;
        self.has_more |= found.has_more;
        let fits = found.lines.iter().all(|line| self.lines.push(line));
        Ok(if fits && !self.has_more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    fn finish(mut self) -> Result<ToolOutput, ToolError> {
        if self.abort.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        if self.has_more {
            let limit = self.arguments.limit;
            self.lines
                .note(format!("Stopped at {limit} matches. Use limit={} for more, or a narrower pattern.", limit * 2));
        }
        if self.closed > 0 {
            let closed = self.closed;
            self.lines.note(format!(
                "{closed} files were not searched: they are Seam's own journals, which no tool may read."
            ));
        }
        self.passed.notes().for_each(|note| self.lines.note(note));
        Ok(self.lines.finish("No matches found."))
    }
}
