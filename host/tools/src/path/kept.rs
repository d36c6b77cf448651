//! Where the whole of a long output is kept for the model to read.

use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use tempfile::TempDir;

use super::workspace::Root;

/// How many outputs are kept; the oldest goes first.
const MOST: u64 = 32;

/// A private folder. It is removed with the value.
#[derive(Debug)]
pub(crate) struct Kept {
    root: Root,
    _folder: TempDir,
    next: AtomicU64,
}

impl Kept {
    pub(super) fn new() -> io::Result<Self> {
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("seam-").permissions(private).tempdir()?;
        Ok(Self { root: Root::open(folder.path())?, _folder: folder, next: AtomicU64::new(1) })
    }

    pub(super) fn root(&self) -> &Root {
        &self.root
    }

    /// Keeps a text, and gives its file. It blocks.
    pub(crate) fn keep(&self, text: &str) -> io::Result<PathBuf> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = |number| format!("output-{number}.txt");
        if let Some(oldest) = number.checked_sub(MOST) {
            let _was_not_kept = self.root.dir.remove_file(name(oldest));
        }
        let mut private = OpenOptions::new();
        private.write(true).create_new(true).mode(0o600);
        self.root.dir.open_with(name(number), &private)?.write_all(text.as_bytes())?;
        Ok(self.root.path.as_path().join(name(number)))
    }
}
