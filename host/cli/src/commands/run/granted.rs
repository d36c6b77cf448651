//! Folders that a plugin is granted to write and that nobody may: who writes there changes what is in force.

use std::path::PathBuf;

use seam_harness::{HostRules, Journals};
use seam_plugins::Plugin;

use crate::commands::run::plugins::NotLoaded;
use crate::terminal::style::one_line;

/// Why nothing can run with what these plugins are granted, if it cannot.
pub(super) fn fault(plugins: &[Plugin], rules: &HostRules) -> Option<NotLoaded> {
    let Journals { files, folders } = &rules.journals;
    let places: Vec<PathBuf> = rules.protected.iter().chain(files).chain(folders).cloned().collect();
    let told = plugins.iter().find_map(|plugin| {
        let (folder, place) = plugin.grants().writes(&places)?;
        Some(format!(
            "plugin `{}` is granted to write in {}, which holds or lies in {}: who writes there changes what is in force",
            plugin.name(),
            folder.path.display(),
            place.display()
        ))
    })?;
    let remedy = "; grant it another folder, or this one with `mode = \"ro\"`".to_owned();
    Some(NotLoaded { faults: vec![one_line(&told, usize::MAX)], remedy, is_partial: false })
}
