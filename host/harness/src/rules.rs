//! The host's own rules. They stand before every gate, and no plugin can loosen them.

use std::path::{Path, PathBuf};

use seam_loop::tool::{Access, Location, Resolution};
use seam_loop::{Target, ToolCall};

/// What no tool may do, whatever plugins say.
#[derive(Debug, Clone, Default)]
pub struct HostRules {
    /// Folders outside the workspace that tools may use, canonical.
    pub outside: Vec<PathBuf>,
    /// Folders that tools may read, in the workspace or outside, and never write, canonical: what the host keeps for
    /// the model.
    pub read_only: Vec<PathBuf>,
    /// Files and folders that no file tool may write, canonical: settings, plugins, sessions. A shell command is not covered.
    pub protected: Vec<PathBuf>,
    /// Journals, which no file tool may read or write: they hold what plugins withheld. A shell command is not covered.
    pub journals: Journals,
}

/// Where journals lie, all canonical.
#[derive(Debug, Clone, Default)]
pub struct Journals {
    /// Journals by their names. Each goes on in files beside it whose names are longer after a point.
    pub files: Vec<PathBuf>,
    /// Folders in which, or below which, every file of a journal's name is one.
    pub folders: Vec<PathBuf>,
}

impl Journals {
    /// Whether a file is a journal, or a part of one. Takes its canonical path.
    pub fn hold(&self, path: &Path) -> bool {
        let is_named_so = || path.file_name().is_some_and(|name| is_name(name.as_encoded_bytes()));
        self.files.iter().any(|journal| is_of(path, journal))
            || (is_named_so() && self.folders.iter().any(|folder| path.starts_with(folder)))
    }
}

/// `X.journal`, `X.journal.1`, `X.journal.head`.
fn is_name(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'.').skip(1);
    parts.any(|part| part == b"journal")
}

impl HostRules {
    /// Why the call is refused, if it is.
    pub(crate) fn refusal(&self, call: &ToolCall) -> Option<String> {
        call.targets.iter().find_map(|target| self.refuses(target))
    }

    fn refuses(&self, target: &Target) -> Option<String> {
        let Target::Path { given, resolution: Resolution::Resolved { path, location, .. }, access } = target else {
            return None;
        };
        let is_in = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        let writes = *access == Access::Write;
        if is_in(&self.read_only) {
            let reason = format!("Refused by the host: {} is Seam's own, and only to be read.", path.display());
            return writes.then_some(reason);
        }
        if *location == Location::Outside && !is_in(&self.outside) {
            return Some(format!(
                "Refused by the host: `{given}` is outside the workspace (it leads to {}). To allow a folder, add it to \
                 `outside` under `[workspace]` in `seam.toml`.",
                path.display()
            ));
        }
        if self.journals.hold(path) {
            return Some(format!(
                "Refused by the host: {} is a journal of Seam. It holds what plugins were shown and what they withheld, so \
                 no tool may read or write it. The user reads it with `seam journal`.",
                path.display()
            ));
        }
        (writes && is_in(&self.protected)).then(|| {
            format!(
                "Refused by the host: {} holds Seam's own settings, plugins or sessions, which no tool may write. Only \
                 the user changes them.",
                path.display()
            )
        })
    }
}

/// Whether a file is a journal, or a part of it that lies beside it.
fn is_of(path: &Path, journal: &Path) -> bool {
    let (Some(name), Some(its)) = (path.file_name(), journal.file_name()) else { return false };
    let rest = name.as_encoded_bytes().strip_prefix(its.as_encoded_bytes());
    path.parent() == journal.parent() && rest.is_some_and(|rest| rest.first().is_none_or(|first| *first == b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_known_by_its_name_or_by_its_folder() {
        let journals = Journals { files: vec!["/a/x.journal".into()], folders: vec!["/s".into()] };
        for (path, is_one) in [
            ("/a/x.journal", true),
            ("/a/x.journal.1", true),
            ("/a/x.journal.head", true),
            ("/a/x.journals", false),
            ("/a/y.journal", false),
            ("/b/x.journal", false),
            ("/s/--w--/y.journal", true),
            ("/s/--w--/y.journal.12", true),
            ("/s/y.journal.head", true),
            ("/s/--w--/y.jsonl", false),
            ("/s/journal", false),
            ("/s", false),
        ] {
            assert_eq!(journals.hold(Path::new(path)), is_one, "{path}");
        }
    }
}
