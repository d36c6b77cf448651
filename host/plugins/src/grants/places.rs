//! Where granted folders are, and which of them nobody may be granted to write.

use std::path::{Path, PathBuf};

use crate::grants::{Folder, FolderMode, Grants};

impl Folder {
    /// A folder under the name by which a plugin finds it.
    pub fn new(path: impl Into<PathBuf>, mode: FolderMode) -> Self {
        Self { path: path.into(), mode, place: PathBuf::new() }
    }

    /// Where it is.
    pub(crate) fn place(&self) -> &Path {
        if self.place.as_os_str().is_empty() { &self.path } else { &self.place }
    }
}

impl Grants {
    /// The first folder it may write that is one of these places, lies in one or holds one, and that place. Who writes
    /// there changes what is in force. The places are canonical.
    pub fn writes<'a>(&'a self, places: &'a [PathBuf]) -> Option<(&'a Folder, &'a Path)> {
        let writable = self.fs.iter().filter(|folder| folder.mode == FolderMode::Rw);
        writable.flat_map(|folder| places.iter().map(move |place| (folder, place.as_path()))).find(|(folder, place)| {
            // One that is not there cannot be used either.
            let there = folder.place().canonicalize().unwrap_or_else(|_| folder.place().to_owned());
            place.starts_with(&there) || there.starts_with(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(path: &Path, mode: FolderMode) -> Grants {
        Grants { fs: vec![Folder::new(path, mode)], ..Grants::default() }
    }

    #[test]
    fn what_holds_or_lies_in_a_protected_place_is_not_written() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(".seam/plugins/data")).unwrap();
        std::fs::create_dir_all(root.join("data")).unwrap();
        let places = [root.join(".seam"), root.join("seam.toml")];
        for (path, is_meant) in [(".", true), (".seam", true), (".seam/plugins/data", true), ("data", false)] {
            let path = root.join(path);
            assert_eq!(grants(&path, FolderMode::Rw).writes(&places).is_some(), is_meant, "{}", path.display());
            assert_eq!(grants(&path, FolderMode::Ro).writes(&places), None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_protected_place_is_that_place() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(".seam")).unwrap();
        std::os::unix::fs::symlink(".seam", root.join("data")).unwrap();
        assert!(grants(&root.join("data"), FolderMode::Rw).writes(&[root.join(".seam")]).is_some());
    }
}
