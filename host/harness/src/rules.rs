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
    /// Journals that no file tool may write, canonical; and no file beside one whose name is longer after a point.
    pub journals: Vec<PathBuf>,
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
        let is_journal = || self.journals.iter().any(|journal| is_of(path, journal));
        (writes && (is_in(&self.protected) || is_journal())).then(|| {
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
