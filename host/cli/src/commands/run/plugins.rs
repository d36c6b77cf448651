//! Which plugins a run has. One that should be there and is not stops the run: it may be the one that says no.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};
use etcetera::BaseStrategy as _;
use seam_plugins::{LoadError, Plugin, PluginEngine, load as loader};

use crate::config::Config;
use crate::terminal::output::complain;
use crate::terminal::style::{both_ends, one_line};

/// Names that others have on the screen.
const TAKEN: [&str; 2] = ["host", "you"];
/// How long a file's name and what is wrong with it get, in characters.
const SHOWN: usize = 200;

/// The folder that is named, or the usual one when something is there.
pub(super) fn folder(named: Option<&Path>, cwd: &Path) -> Result<Option<PathBuf>> {
    if let Some(folder) = named {
        let unusable = || format!("--plugins {} cannot be used; give a folder of `*.wasm` files", folder.display());
        if loader::wasm_files(folder).with_context(unusable)?.is_empty() {
            bail!("no `*.wasm` in {}; nothing was run", folder.display());
        }
        return Ok(Some(folder.to_owned()));
    }
    let home = cwd.join(".seam");
    let usual = home.join("plugins");
    let is_there = exists(&usual)? || (exists(&home)? && fs::metadata(&home).is_err());
    if !is_there {
        return Ok(None);
    }
    let unusable = || format!("{} is no folder that can be read; mend it or remove it", usual.display());
    loader::wasm_files(&usual).with_context(unusable)?;
    Ok(Some(usual))
}

/// Whether anything has this name, even a link that leads nowhere.
fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{} cannot be looked at", path.display())),
    }
}

/// Loads the folder. With a file that cannot be loaded nothing runs.
pub(super) async fn load(folder: Option<&Path>, config: &Config) -> Result<Option<Vec<Plugin>>> {
    let Some(folder) = folder else { return Ok(Some(Vec::new())) };
    let engine = PluginEngine::new(cache())?;
    let (plugins, errors) = engine
        .load_folder(folder, |name| config.settings(name))
        .await
        .with_context(|| format!("the plugin folder {} cannot be read", folder.display()))?;
    let faults: Vec<String> =
        errors.iter().map(fault).chain(plugins.iter().filter(|plugin| is_taken(plugin.name())).map(taken)).collect();
    if faults.is_empty() {
        return Ok(Some(plugins));
    }
    told_of(&faults, folder);
    Ok(None)
}

/// Says which plugins cannot take part, and that nothing is run.
pub(super) fn complain_of(errors: &[LoadError], folder: Option<&Path>) {
    let faults: Vec<String> = errors.iter().map(fault).collect();
    told_of(&faults, folder.unwrap_or(Path::new(".")));
}

fn told_of(faults: &[String], folder: &Path) {
    for fault in faults {
        complain(&format!("plugin not loaded: {fault}"));
    }
    complain(&format!(
        "nothing was run, since what is not loaded cannot refuse. To run without a plugin, take its file out of {}.",
        folder.display()
    ));
}

/// Where compiled plugins are kept.
pub(super) fn cache() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.cache_dir().join("seam").join("compiled"))
}

fn is_taken(name: &str) -> bool {
    TAKEN.iter().any(|taken| name.trim().eq_ignore_ascii_case(taken))
}

fn fault(error: &LoadError) -> String {
    told(&error.file, &error.problem.to_string())
}

fn taken(plugin: &Plugin) -> String {
    told(plugin.file(), "on the screen its name would be that of somebody else; rename the file")
}

fn told(file: &Path, problem: &str) -> String {
    let problem = one_line(problem, usize::MAX);
    format!("{}: {}", both_ends(&one_line(&file.display().to_string(), usize::MAX), SHOWN), both_ends(&problem, SHOWN))
}
