//! From a text to a canonical path.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::describe::reason;

/// An absolute path with every link followed, of something that was there. Only a look-up makes one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CanonicalPath(PathBuf);

impl CanonicalPath {
    /// Looks the path up.
    ///
    /// # Errors
    /// What the system says: nothing there, a link loop, no permission.
    pub fn of(path: &Path) -> io::Result<Self> {
        std::fs::canonicalize(path).map(Self)
    }

    /// The path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

/// Where a text leads: to something, or to names that are still missing below something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The deepest part that is there.
    pub(super) base: CanonicalPath,
    /// The names below it that are not. Empty when everything is there.
    pub(super) missing: Vec<OsString>,
}

impl Found {
    /// The whole path.
    pub(super) fn full(&self) -> PathBuf {
        self.missing.iter().fold(self.base.as_path().to_owned(), |path, name| path.join(name))
    }
}

/// Looks up what a model wrote. Relative paths start at `root`, `~` is the home folder, nothing else is special.
///
/// # Errors
/// Why it cannot be resolved.
pub(super) fn find(root: &Path, given: &str) -> Result<Found, String> {
    let mut path = absolute(root, given)?;
    let mut missing = Vec::new();
    loop {
        match CanonicalPath::of(&path) {
            Ok(base) => {
                missing.reverse();
                return Ok(Found { base, missing });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(take_missing(&mut path)?),
            Err(error) => return Err(reason(&error)),
        }
    }
}

/// Takes the last name off a path that leads to nothing.
fn take_missing(path: &mut PathBuf) -> Result<OsString, String> {
    if path.symlink_metadata().is_ok() {
        return Err(format!("{} is a link to something that does not exist", path.display()));
    }
    let name = path.file_name().map(ToOwned::to_owned);
    let name = name.ok_or_else(|| "it goes up with `..` from a folder that does not exist".to_owned())?;
    path.pop();
    Ok(name)
}

fn absolute(root: &Path, given: &str) -> Result<PathBuf, String> {
    if given.is_empty() {
        return Err("it is empty; use `.` for the workspace".to_owned());
    }
    match given.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
            let home = home.ok_or_else(|| "`~` has no meaning: the variable `HOME` is not set".to_owned())?;
            Ok(root.join(home).join(rest.trim_start_matches('/')))
        }
        _ => Ok(root.join(given)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn missing_names_are_kept_apart() {
        let fixture = Fixture::new();
        let found = find(&fixture.root, "new/deep/f").unwrap();
        assert_eq!(found.base.as_path(), fixture.root);
        assert_eq!(found.missing, ["new", "deep", "f"]);
        assert_eq!(found.full(), fixture.root.join("new/deep/f"));
    }

    #[test]
    fn what_cannot_be_resolved_says_why() {
        let fixture = Fixture::new();
        symlink("loop", fixture.root.join("loop")).unwrap();
        symlink("nowhere", fixture.root.join("dangling")).unwrap();
        std::fs::write(fixture.root.join("file"), "").unwrap();
        let dangling =
            format!("{} is a link to something that does not exist", fixture.root.join("dangling").display());
        let cases = [
            ("", "it is empty; use `.` for the workspace"),
            ("loop/x", "too many levels of symbolic links"),
            ("dangling", &*dangling),
            ("dangling/x", &*dangling),
            ("new/../x", "it goes up with `..` from a folder that does not exist"),
            ("file/x", "not a directory"),
            ("a\0b", "file name contained an unexpected NUL byte"),
        ];
        for (given, why) in cases {
            assert_eq!(find(&fixture.root, given), Err(why.to_owned()), "{given:?}");
        }
        assert_eq!(find(&fixture.root, &"x".repeat(300)), Err("file name too long".to_owned()));
    }

    #[test]
    fn home_is_expanded_and_nothing_else_is() {
        let root = Path::new("/ws");
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        assert_eq!(absolute(root, "~"), Ok(home.clone()));
        assert_eq!(absolute(root, "~/a"), Ok(home.join("a")));
        for given in ["~a", "@a", "-x", "$HOME", "a ", "cafe\u{301}.txt"] {
            assert_eq!(absolute(root, given), Ok(root.join(given)));
        }
    }
}
