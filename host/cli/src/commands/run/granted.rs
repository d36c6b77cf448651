//! Folders that a plugin is granted to write and that nobody may: who writes there changes what is in force.

use std::path::{Path, PathBuf};

use anyhow::Result;
use etcetera::BaseStrategy as _;
use seam_harness::{HostRules, Journals};
use seam_plugins::load::{plugin_name, wasm_files};
use seam_plugins::{Folder, Grants, Plugin};

use crate::commands::run::outer::Rules;
use crate::commands::run::plugins::NotLoaded;
use crate::commands::run::protected;
use crate::commands::run::start::Base;
use crate::config::Config;
use crate::terminal::style::one_line;

/// What to do about it.
pub(in crate::commands) const REMEDY: &str = "grant it another folder, or this one with `mode = \"ro\"`";

/// Why nothing can run with what these plugins are granted, if it cannot.
pub(super) fn fault(plugins: &[Plugin], rules: &HostRules) -> Option<NotLoaded> {
    let Journals { files, folders } = &rules.journals;
    let places: Vec<PathBuf> = rules.protected.iter().chain(files).chain(folders).cloned().collect();
    first(plugins.iter().map(|plugin| (plugin.name(), plugin.grants())), &places)
}

/// The same before any plugin is started: what it does as it starts would be done. An error says what is wrong with the
/// runs around this one.
pub(super) fn before_start(base: &Base, plugins: Option<&Path>, around: &[Rules]) -> Result<Option<NotLoaded>> {
    let Base { cwd, config, kept } = base;
    let mut places = places(cwd, config, plugins);
    let more = around.iter().flat_map(Rules::files).chain(kept.iter().map(PathBuf::as_path));
    places.extend(more.flat_map(protected::way));
    let outer: Vec<_> = around.iter().map(Rules::granted).collect::<Result<_>>()?;
    let files = plugins.and_then(|folder| wasm_files(folder).ok()).unwrap_or_default();
    let own = files.iter().map(|file| {
        let name = plugin_name(file);
        let grants = config.settings(&name).grants;
        (name, grants)
    });
    let granted: Vec<(String, Grants)> = outer.into_iter().flatten().chain(own).collect();
    Ok(first(granted.iter().map(|(name, grants)| (&**name, grants)), &places))
}

/// The first one that may not be granted what it is.
fn first<'a>(mut granted: impl Iterator<Item = (&'a str, &'a Grants)>, places: &[PathBuf]) -> Option<NotLoaded> {
    let told = granted.find_map(|(plugin, grants)| told(plugin, grants, places))?;
    Some(NotLoaded { faults: vec![told], remedy: format!("; {REMEDY}"), is_partial: false })
}

/// The same of one plugin, with what can be done.
pub(in crate::commands) fn refused_of(plugin: &Plugin, places: &[PathBuf]) -> Option<String> {
    Some(format!("{}; {REMEDY}", told(plugin.name(), plugin.grants(), places)?))
}

/// What is wrong with what a plugin of this name is granted, if anything is.
pub(in crate::commands) fn told(plugin: &str, grants: &Grants, places: &[PathBuf]) -> Option<String> {
    let why = refused(grants, places)?;
    Some(one_line(&format!("plugin `{plugin}` {why}"), usize::MAX))
}

/// Why nothing can run with what a plugin is granted, said of the plugin.
pub(in crate::commands) fn refused(grants: &Grants, places: &[PathBuf]) -> Option<String> {
    let (folder, place) = grants.writes(places)?;
    Some(format!(
        "is granted to write in {}, which {} {}: who writes there changes what is in force",
        folder.path.display(),
        relation(folder, place),
        place.display()
    ))
}

/// The places that nobody may be granted to write, as far as the settings and the folder of plugins tell: among them the
/// folders in which Seam keeps things for this user. A run has more: its session.
pub(in crate::commands) fn places(cwd: &Path, config: &Config, plugins: Option<&Path>) -> Vec<PathBuf> {
    let named: Vec<PathBuf> =
        protected::usual(cwd, config).into_iter().chain(plugins.map(Path::to_owned)).chain(own_folders()).collect();
    protected::paths(&named, plugins, &[], &[])
}

/// Where sessions, agreements, settings and compiled plugins of this user are.
fn own_folders() -> Vec<PathBuf> {
    let Ok(folders) = etcetera::choose_base_strategy() else { return Vec::new() };
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    [state, folders.config_dir(), folders.cache_dir()].iter().map(|folder| folder.join("seam")).collect()
}

fn relation(folder: &Folder, place: &Path) -> &'static str {
    let there = folder.place.canonicalize().unwrap_or_else(|_| folder.place.clone());
    match place.starts_with(&there) {
        true if place == there => "is",
        true => "holds",
        false => "lies in",
    }
}
