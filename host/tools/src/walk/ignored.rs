//! The ignore files of the folders on the way.

use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::Dir;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::open_file;

/// The largest ignore file that is heeded, in bytes: matchers take about a thousand times as much memory.
pub(super) const MAX_FILE: u64 = 256 * 1024;

/// One matcher for each folder, from the top.
#[derive(Default)]
pub(super) struct Ignored {
    folders: Vec<Gitignore>,
    /// How many files were too large to be heeded.
    pub(super) too_large: usize,
}

impl Ignored {
    /// Adds the files of a folder. A file or a line that makes no sense is passed over.
    pub(super) fn enter(&mut self, path: &Path, dir: &Dir) {
        let mut builder = GitignoreBuilder::new(path);
        // What stands later wins: `.ignore` over `.gitignore`.
        for name in [".gitignore", ".ignore"] {
            for line in self.content(dir, name).unwrap_or_default().lines() {
                let _passed_over = builder.add_line(None, line);
            }
        }
        self.folders.push(builder.build().unwrap_or_else(|_| Gitignore::empty()));
    }

    /// Takes the files of the folder entered last off again.
    pub(super) fn leave(&mut self) {
        self.folders.pop();
    }

    /// Whether something is ignored: the deepest folder that says anything decides.
    pub(super) fn holds(&self, path: &Path, is_folder: bool) -> bool {
        let said =
            self.folders.iter().rev().map(|matcher| matcher.matched(path, is_folder)).find(|said| !said.is_none());
        said.is_some_and(|said| said.is_ignore())
    }

    fn content(&mut self, dir: &Dir, name: &str) -> io::Result<String> {
        let mut text = Vec::new();
        open_file(dir, name.as_ref(), false)?.take(MAX_FILE + 1).read_to_end(&mut text)?;
        if text.len() as u64 > MAX_FILE {
            self.too_large += 1;
            text.clear();
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
