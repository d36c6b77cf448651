//! The plugins of a replay: those of the folder, and those that are named in their place.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use seam_plugins::load::{plugin_name, wasm_files};
use seam_plugins::{LoadError, Plugin, PluginEngine};

use crate::args::ReplayArgs;
use crate::commands::run::plugins::cache;
use crate::config::Config;
use crate::terminal::output::complain;
use crate::terminal::style::clean;

/// Loads them; none when one of them cannot be, which was told.
pub(super) async fn load(args: &ReplayArgs, cwd: &Path, config: &Config) -> Result<Option<Vec<Plugin>>> {
    let files = files(args, cwd)?;
    let engine = PluginEngine::new(cache())?.for_replay();
    let mut plugins = Vec::new();
    let mut faults = Vec::new();
    for file in files {
        match engine.load(&file, &config.settings(&plugin_name(&file))).await {
            Ok(plugin) => plugins.push(plugin),
            Err(problem) => faults.push(LoadError { file, problem }),
        }
    }
    for fault in &faults {
        complain(&format!("plugin not loaded: {}", clean(&fault.to_string())));
    }
    if !faults.is_empty() {
        complain("nothing was replayed");
    }
    Ok(faults.is_empty().then_some(plugins))
}

/// Each name once: what is named counts before what lies in the folder.
fn files(args: &ReplayArgs, cwd: &Path) -> Result<Vec<PathBuf>> {
    let mut files = args.instead.clone();
    for (place, file) in files.iter().enumerate() {
        let name = plugin_name(file);
        let twice = files.iter().take(place).any(|other| plugin_name(other) == name);
        ensure!(!twice, "two files are named for the plugin `{name}`; name one");
    }
    if let Some(folder) = folder(args, cwd) {
        let found =
            wasm_files(&folder).with_context(|| format!("the plugin folder {} cannot be read", folder.display()))?;
        let named: Vec<String> = files.iter().map(|file| plugin_name(file)).collect();
        files.extend(found.into_iter().filter(|file| !named.contains(&plugin_name(file))));
    }
    if files.is_empty() {
        bail!("there is no plugin to ask; name their folder with `--plugins`, or a file with `--plugin`");
    }
    Ok(files)
}

fn folder(args: &ReplayArgs, cwd: &Path) -> Option<PathBuf> {
    let usual = || Some(cwd.join(".seam/plugins")).filter(|usual| usual.exists());
    args.plugins.clone().or_else(usual)
}
