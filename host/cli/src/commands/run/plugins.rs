//! Which plugins a run has. One that should be there and is not stops the run: it may be the one that says no.

mod left_out;
mod told;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use anyhow::{Context, Result, bail};
use etcetera::BaseStrategy as _;
use seam_plugins::{Grants, LoadError, LoadProblem, Plugin, PluginEngine, Settings, load as loader};

use crate::commands::run::outer::{self, Rules};
use crate::config::Config;
use crate::lock::Lock;
use crate::trust::Asked;

pub(crate) use self::left_out::LeftOut;
pub(in crate::commands) use self::left_out::tell_unlocked;
pub(in crate::commands) use self::told::NotLoaded;
pub(super) use self::told::complain_of_outer;

/// Names that others have on the screen.
const TAKEN: [&str; 2] = ["host", "you"];

/// The plugins of a run, in order.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(in crate::commands) plugins: Vec<Plugin>,
    /// How many of them, from the first on, are those of the runs around this one.
    pub(super) outer: usize,
    /// All in this run's own folder, also those that are among the others.
    pub(in crate::commands) own: Vec<Plugin>,
    /// What lies in the folder and is not loaded, and the run goes on all the same.
    pub(crate) left_out: Vec<LeftOut>,
    /// How they differ from what was locked.
    pub(crate) unlocked: Vec<String>,
    /// The names of those that were in force before: none of them is left out.
    in_force: Vec<String>,
}

/// What lies in a folder.
#[derive(Default)]
pub(in crate::commands) struct Survey {
    pub(in crate::commands) own: Vec<Plugin>,
    pub(in crate::commands) left_out: Vec<LeftOut>,
    /// Why no run begins, when the settings ask for what the user has not agreed to.
    pub(in crate::commands) not_agreed: Option<NotLoaded>,
}

/// Where plugins are loaded from, and what goes for them.
#[derive(Clone, Copy)]
pub(in crate::commands) struct Wanted<'a> {
    pub(in crate::commands) around: &'a [Rules],
    pub(in crate::commands) folder: Option<&'a Path>,
    pub(in crate::commands) config: &'a Config,
    /// What they were when they were approved, if that matters.
    pub(in crate::commands) lock: Option<&'a Lock>,
    /// Those that are loaded again, by name: what is in force stays in force until it is taken out of the folder.
    pub(in crate::commands) in_force: &'a [String],
}

/// The folder that is named, or the usual one when something is there.
pub(in crate::commands) fn folder(named: Option<&Path>, cwd: &Path) -> Result<Option<PathBuf>> {
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

/// The same when plugins are loaded again: one in which there are none any more is no mistake.
pub(super) fn folder_again(named: Option<&Path>, cwd: &Path) -> Result<Option<PathBuf>> {
    named.map_or_else(|| folder(None, cwd), |named| Ok(Some(named.to_owned())))
}

/// Whether anything has this name, even a link that leads nowhere.
fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{} cannot be looked at", path.display())),
    }
}

/// Loads the plugins of the runs around this one, then the folder. With one that should be there and cannot be loaded
/// nothing runs.
pub(in crate::commands) async fn load(wanted: &Wanted<'_>) -> Result<Result<Loaded, NotLoaded>> {
    load_by(engine, wanted).await
}

/// The same, and nothing that is granted to them is there: those that nobody approved do nothing with it as they start.
pub(in crate::commands) async fn load_inert(wanted: &Wanted<'_>) -> Result<Result<Loaded, NotLoaded>> {
    load_by(inert, wanted).await
}

async fn load_by(
    engine: fn() -> Result<&'static PluginEngine>,
    wanted: &Wanted<'_>,
) -> Result<Result<Loaded, NotLoaded>> {
    let asked = Asked::of(wanted.config, wanted.folder);
    let not_agreed = (!asked.is_agreed()?).then(|| NotLoaded::not_agreed(&asked, wanted.config));
    if wanted.around.is_empty() && wanted.folder.is_none() {
        return Ok(not_agreed.map_or_else(|| against_lock(Loaded::default(), wanted), Err));
    }
    let engine = engine()?;
    let outer = match outer::load(engine, wanted.around).await {
        Ok(outer) => outer,
        Err(fault) => return Ok(Err(NotLoaded::outer(&fault))),
    };
    if let Some(not_agreed) = not_agreed {
        return Ok(Err(not_agreed));
    }
    let in_force = wanted.in_force.to_vec();
    let mut loaded = Loaded { outer: outer.len(), in_force, ..Loaded::default() };
    if let Some(folder) = wanted.folder {
        match own(engine, folder, wanted, &asked, &outer).await? {
            Ok((own, left_out)) => (loaded.own, loaded.left_out) = (own, left_out),
            Err(not_loaded) => return Ok(Err(not_loaded)),
        }
    }
    let is_new = |plugin: &&Plugin| !outer.iter().any(|(other, _)| outer::is_same(other, plugin));
    let more: Vec<Plugin> = loaded.own.iter().filter(is_new).cloned().collect();
    loaded.plugins = outer.into_iter().map(|(plugin, _)| plugin).chain(more).collect();
    Ok(against_lock(loaded, wanted))
}

/// Loads what can be loaded of a folder, whether a run would begin with it or not, and tells what cannot. Nothing that is
/// granted is there.
pub(in crate::commands) async fn survey(wanted: &Wanted<'_>) -> Result<Survey> {
    let Wanted { folder, config, .. } = *wanted;
    let asked = Asked::of(config, folder);
    let agreed = asked.is_agreed()?;
    let not_agreed = (!agreed).then(|| NotLoaded::not_agreed(&asked, config));
    let Some(folder) = folder else { return Ok(Survey { not_agreed, ..Survey::default() }) };
    let refused = |name: &str| !agreed && asked.plugins.contains_key(name);
    let settings = |name: &str| {
        let settings = asked.settings(config, name);
        if refused(name) { Settings { grants: Grants::default(), ..settings } } else { settings }
    };
    let (mut own, errors) = inert()?.load_folder(folder, settings).await?;
    let broken = errors.iter().filter(|error| !refused(&loader::plugin_name(&error.file)));
    let broken = broken.map(|error| LeftOut::of(error, config));
    let refused = asked.plugins.iter().filter(|(name, _)| refused(name));
    let refused = refused.map(|(name, granted)| LeftOut::not_agreed(name, &granted.file, &asked.command));
    let left_out: Vec<LeftOut> = broken.chain(refused).collect();
    own.retain(|plugin| !left_out.iter().any(|other| other.name == plugin.name()));
    own.sort_by_key(|plugin| config.place(plugin.name()));
    Ok(Survey { own, left_out, not_agreed })
}

/// Whether a run started this process: its model may be who asks.
pub(in crate::commands) fn is_within_a_run() -> bool {
    std::env::var_os(outer::VARIABLE).is_some()
}

/// Loads the plugins of a folder, and puts them in order.
async fn own(
    engine: &PluginEngine,
    folder: &Path,
    wanted: &Wanted<'_>,
    asked: &Asked,
    outer: &[(Plugin, Settings)],
) -> Result<Result<(Vec<Plugin>, Vec<LeftOut>), NotLoaded>> {
    let config = wanted.config;
    let locked = wanted.lock.filter(|_| config.locked);
    let changed = locked.map(|lock| lock.changed(folder, config)).unwrap_or_default();
    if !changed.is_empty() {
        return Ok(Err(NotLoaded::locked(&changed, config)));
    }
    let settings = |name: &str| {
        let settings = asked.settings(config, name);
        locked.map_or(settings.clone(), |lock| lock.pinned(name, settings))
    };
    let (mut own, mut errors) = engine
        .load_folder(folder, settings)
        .await
        .with_context(|| format!("the plugin folder {} cannot be read", folder.display()))?;
    errors.extend(own.iter().filter_map(|plugin| clash(plugin, outer, config)));
    let (left_out, errors): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| left_out::may_be(error, wanted));
    let taken: Vec<&Plugin> = own.iter().filter(|plugin| is_taken(plugin.name())).collect();
    if !errors.is_empty() || !taken.is_empty() {
        return Ok(Err(NotLoaded::own(&errors, &taken, folder, wanted.in_force)));
    }
    own.retain(|plugin| !left_out.iter().any(|error| error.file == plugin.file()));
    own.sort_by_key(|plugin| config.place(plugin.name()));
    Ok(Ok((own, left_out.iter().map(|error| LeftOut::of(error, config)).collect())))
}

/// Compares them with what was locked.
fn against_lock(mut loaded: Loaded, Wanted { config, lock, .. }: &Wanted<'_>) -> Result<Loaded, NotLoaded> {
    loaded.unlocked = lock.map(|lock| lock.differences(&Lock::of(&loaded.own, config))).unwrap_or_default();
    match (config.locked, lock) {
        (true, None) => Err(NotLoaded::no_lock(config)),
        (true, Some(_)) if !loaded.unlocked.is_empty() => Err(NotLoaded::locked(&loaded.unlocked, config)),
        _ => Ok(loaded),
    }
}

/// A plugin of the name of an outer one has to be that one: the same file with the same settings, or with none here.
fn clash(plugin: &Plugin, outer: &[(Plugin, Settings)], config: &Config) -> Option<LoadError> {
    let name = plugin.name();
    let (other, there) = outer.iter().find(|(other, _)| other.name().eq_ignore_ascii_case(name))?;
    let is_same = outer::is_same(other, plugin) && config.plugins.get(name).is_none_or(|here| here == there);
    let problem = || LoadProblem::SameName { name: name.to_owned(), other: other.file().to_owned() };
    (!is_same).then(|| LoadError { file: plugin.file().to_owned(), problem: problem() })
}

/// The engine of this process: plugins that are loaded again share it.
fn engine() -> Result<&'static PluginEngine> {
    static ENGINE: OnceLock<PluginEngine> = OnceLock::new();
    only(&ENGINE, || Ok(PluginEngine::new(cache())?))
}

/// The same for plugins that are only looked at.
fn inert() -> Result<&'static PluginEngine> {
    static ENGINE: OnceLock<PluginEngine> = OnceLock::new();
    only(&ENGINE, || Ok(PluginEngine::new(cache())?.for_replay()))
}

fn only(
    engine: &'static OnceLock<PluginEngine>,
    new: impl FnOnce() -> Result<PluginEngine>,
) -> Result<&'static PluginEngine> {
    if let Some(engine) = engine.get() {
        return Ok(engine);
    }
    let new = new()?;
    Ok(engine.get_or_init(|| new))
}

/// Where compiled plugins are kept.
pub(in crate::commands) fn cache() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.cache_dir().join("seam").join("compiled"))
}

fn is_taken(name: &str) -> bool {
    TAKEN.iter().any(|taken| name.trim().eq_ignore_ascii_case(taken))
}
