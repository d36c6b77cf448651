//! The host's own rules. They stand before every gate, and no plugin can loosen them.

use std::path::PathBuf;

use seam_loop::tool::{Access, Location, Resolution};
use seam_loop::{Target, ToolCall};

/// What no tool may do, whatever plugins say.
#[derive(Debug, Clone, Default)]
pub struct HostRules {
    /// Folders outside the workspace that tools may use, canonical.
    pub outside: Vec<PathBuf>,
    /// Files and folders that no file tool may write, canonical: settings and plugins. A shell command is not covered.
    pub protected: Vec<PathBuf>,
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
        if *location == Location::Outside && !self.outside.iter().any(|folder| path.starts_with(folder)) {
            return Some(format!(
                "Refused by the host: `{given}` is outside the workspace (it leads to {}). To allow a folder, add it to \
                 `outside` under `[workspace]` in `seam.toml`.",
                path.display()
            ));
        }
        let protected = *access == Access::Write && self.protected.iter().any(|kept| path.starts_with(kept));
        protected.then(|| {
            format!(
                "Refused by the host: {} holds Seam's own settings or plugins, which no tool may write. Only the user \
                 changes them.",
                path.display()
            )
        })
    }
}
