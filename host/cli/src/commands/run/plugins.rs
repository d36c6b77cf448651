//! Which plugins a run has. One that should be there and is not stops the run: it may be the one that says no.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, anyhow, bail};
use etcetera::BaseStrategy as _;
use seam_plugins::{LoadError, LoadProblem, Plugin, PluginEngine, Settings, load as loader};

use crate::commands::run::outer::{self, Rules, VARIABLE};
use crate::config::Config;
use crate::faults;
use crate::terminal::output::complain;
use crate::terminal::style::{both_ends, one_line};

/// Names that others have on the screen.
const TAKEN: [&str; 2] = ["host", "you"];
/// How long a file's name and what is wrong with it get, in characters.
const SHOWN: usize = 200;

/// The plugins of a run, in order.
#[derive(Default)]
pub(in crate::commands) struct Loaded {
    pub(in crate::commands) plugins: Vec<Plugin>,
    /// How many of them, from the first on, are those of the runs around this one.
    pub(super) outer: usize,
    /// All in this run's own folder, also those that are among the others.
    pub(super) own: Vec<Plugin>,
}

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

/// Loads the plugins of the runs around this one, then the folder. With one that cannot be loaded nothing runs.
pub(super) async fn load(around: &[Rules], folder: Option<&Path>, config: &Config) -> Result<Option<Loaded>> {
    if around.is_empty() && folder.is_none() {
        return Ok(Some(Loaded::default()));
    }
    let engine = PluginEngine::new(cache())?;
    let outer = match outer::load(&engine, around).await {
        Ok(outer) => outer,
        Err(fault) => {
            complain_of_outer(&fault);
            return Ok(None);
        }
    };
    let mut loaded = Loaded { outer: outer.len(), ..Loaded::default() };
    if let Some(folder) = folder {
        let (own, mut errors) = engine
            .load_folder(folder, |name| config.settings(name))
            .await
            .with_context(|| format!("the plugin folder {} cannot be read", folder.display()))?;
        errors.extend(own.iter().filter_map(|plugin| clash(plugin, &outer, config)));
        let taken = own.iter().filter(|plugin| is_taken(plugin.name())).map(taken);
        let faults: Vec<String> = errors.iter().map(fault).chain(taken).collect();
        if !faults.is_empty() {
            told_of(&faults, folder);
            return Ok(None);
        }
        loaded.own = own;
    }
    let is_new = |plugin: &&Plugin| !outer.iter().any(|(other, _)| outer::is_same(other, plugin));
    let more: Vec<Plugin> = loaded.own.iter().filter(is_new).cloned().collect();
    loaded.plugins = outer.into_iter().map(|(plugin, _)| plugin).chain(more).collect();
    Ok(Some(loaded))
}

/// A plugin of the name of an outer one has to be that one: the same file with the same settings, or with none here.
fn clash(plugin: &Plugin, outer: &[(Plugin, Settings)], config: &Config) -> Option<LoadError> {
    let name = plugin.name();
    let (other, there) = outer.iter().find(|(other, _)| other.name().eq_ignore_ascii_case(name))?;
    let is_same = outer::is_same(other, plugin) && config.plugins.get(name).is_none_or(|here| here == there);
    let problem = || LoadProblem::SameName { name: name.to_owned(), other: other.file().to_owned() };
    (!is_same).then(|| LoadError { file: plugin.file().to_owned(), problem: problem() })
}

/// Says which plugins cannot take part, and that nothing is run.
pub(super) fn complain_of(errors: &[LoadError], loaded: &Loaded, folder: Option<&Path>) {
    let is_outer = |file: &Path| loaded.plugins.iter().take(loaded.outer).any(|plugin| plugin.file() == file);
    if let Some(error) = errors.iter().find(|error| is_outer(&error.file)) {
        return complain_of_outer(&anyhow!("{error}"));
    }
    let faults: Vec<String> = errors.iter().map(fault).collect();
    told_of(&faults, folder.unwrap_or(Path::new(".")));
}

/// Says that the plugins of a run around this one cannot take part here, and that nothing is run.
pub(super) fn complain_of_outer(fault: &anyhow::Error) {
    complain(&format!("the plugins of the outer run cannot be loaded: {}", faults::told(fault)));
    complain(&format!(
        "nothing was run: a run of Seam started this one, and its plugins are in force here too (`{VARIABLE}` in the \
         environment names them). Put them and their settings back as they were."
    ));
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
pub(in crate::commands) fn cache() -> Option<PathBuf> {
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
