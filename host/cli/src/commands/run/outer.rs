//! The plugins of the runs around this one: it was started by their model, in a shell command. They are in force here
//! too, wherever it was started and whatever plugins it names.
//!
//! This holds who does not mean to escape. A shell command can take the variable out of the environment; what can refuse
//! that is a gate on the command itself.

use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use seam_plugins::{Digest, Grants, Plugin, PluginEngine, Settings, load::plugin_name};
use serde::{Deserialize, Serialize};

use crate::config::{self, Config};

/// Names them in the environment: a JSON list, the outermost run first.
pub(super) const VARIABLE: &str = "SEAM_OUTER_RUNS";

/// What one run goes by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::commands) struct Rules {
    plugins: Vec<File>,
    /// The settings files, each over those before it.
    settings: Vec<File>,
}

/// A file, and the digest of what it held when that run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    path: PathBuf,
    sha256: String,
}

impl File {
    fn of(path: &Path, digest: Digest) -> Result<Self> {
        let path = path::absolute(path)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            bail!("{} is no file", path.display());
        };
        // The file's own name stays: it is the plugin's.
        let path = folder.canonicalize()?.join(name);
        ensure!(path.to_str().is_some(), "{} is no UTF-8; rename it", path.display());
        Ok(Self { path, sha256: digest.to_string() })
    }

    /// What is used is what was compared: nothing is read a second time.
    fn check(&self, digest: Digest) -> Result<()> {
        ensure!(digest.to_string() == self.sha256, "{} has changed since that run began", self.path.display());
        Ok(())
    }

    /// What is granted holds for the bytes of that time alone: it is granted before they are compared.
    fn pinned(&self, mut settings: Settings) -> Settings {
        settings.grants.digest.get_or_insert_with(|| self.sha256.clone());
        settings
    }

    fn text(&self) -> Result<String> {
        let text = config::text(&self.path)?;
        self.check(Digest::of(text.as_bytes()))?;
        Ok(text)
    }
}

impl Rules {
    /// The rules of a run with these plugins and settings.
    pub(super) fn of(plugins: &[Plugin], config: &Config) -> Result<Self> {
        let plugins = plugins.iter().map(|plugin| File::of(plugin.file(), plugin.digest())).collect::<Result<_>>()?;
        let settings =
            config.origin.read.iter().map(|(file, digest)| File::of(file, *digest)).collect::<Result<_>>()?;
        Ok(Self { plugins, settings })
    }

    /// The files that say what they are.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.plugins.iter().chain(&self.settings).map(|file| &*file.path)
    }

    /// What its settings grant to each of its plugins.
    pub(super) fn granted(&self) -> Result<Vec<(String, Grants)>> {
        let config = self.config()?;
        let granted = self.plugins.iter().map(|file| {
            let name = plugin_name(&file.path);
            let grants = config.settings(&name).grants;
            (name, grants)
        });
        Ok(granted.collect())
    }

    fn config(&self) -> Result<Config> {
        let texts = self.settings.iter().map(|file| Ok((&*file.path, file.text()?))).collect::<Result<Vec<_>>>()?;
        Config::of(&texts)
    }

    async fn load(&self, engine: &PluginEngine) -> Result<Vec<(Plugin, Settings)>> {
        let config = self.config()?;
        let mut loaded = Vec::new();
        for file in &self.plugins {
            let settings = config.settings(&plugin_name(&file.path));
            let granted = file.pinned(settings.clone());
            let plugin = engine.load(&file.path, &granted).await.with_context(|| format!("{}", file.path.display()))?;
            file.check(plugin.digest())?;
            loaded.push((plugin, settings));
        }
        Ok(loaded)
    }
}

/// The rules of the runs around this one.
pub(super) fn around() -> Result<Vec<Rules>> {
    let Some(value) = std::env::var_os(VARIABLE) else { return Ok(Vec::new()) };
    let value = value.to_str().with_context(|| format!("`{VARIABLE}` is no UTF-8"))?;
    serde_json::from_str(value).with_context(|| format!("`{VARIABLE}` cannot be read"))
}

/// Their plugins, the outermost first, with what is set for each.
pub(super) async fn load(engine: &PluginEngine, around: &[Rules]) -> Result<Vec<(Plugin, Settings)>> {
    let mut loaded: Vec<(Plugin, Settings)> = Vec::new();
    for rules in around {
        for (plugin, settings) in rules.load(engine).await? {
            if !loaded.iter().any(|(other, set)| is_same(other, &plugin) && *set == settings) {
                loaded.push((plugin, settings));
            }
        }
    }
    Ok(loaded)
}

/// Whether two are one plugin, but for what is set for them.
pub(super) fn is_same(one: &Plugin, other: &Plugin) -> bool {
    one.name() == other.name() && one.digest() == other.digest()
}

/// What the commands of this run find in their environment: the rules around it, and its own.
pub(super) fn value(around: &[Rules], own: Rules) -> Result<Option<String>> {
    let has_own = !own.plugins.is_empty() && !around.contains(&own);
    let all: Vec<&Rules> = around.iter().chain(has_own.then_some(&own)).collect();
    Ok(if all.is_empty() { None } else { Some(serde_json::to_string(&all)?) })
}
