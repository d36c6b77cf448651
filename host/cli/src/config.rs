//! Settings: `seam.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use seam_plugins::{Limits, Settings};
use seam_session::Durability;
use serde::Deserialize;

/// What `seam.toml` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) workspace: Workspace,
    pub(crate) session: Sessions,
    /// By the plugin's name: its file's, without `.wasm`.
    pub(crate) plugins: BTreeMap<String, Settings>,
}

/// What the tools may touch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Workspace {
    /// Folders outside the workspace that tools may use. Relative to the settings file.
    pub(crate) outside: Vec<PathBuf>,
}

/// How sessions are kept.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Sessions {
    pub(crate) durability: Durable,
}

/// When an entry is on the disk for certain.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Durable {
    /// Before anything depends on it.
    #[default]
    Entry,
    /// At the end of each turn.
    SavePoint,
    /// When the operating system gets to it.
    Never,
}

impl From<Durable> for Durability {
    fn from(durable: Durable) -> Self {
        match durable {
            Durable::Entry => Self::EachEntry,
            Durable::SavePoint => Self::SavePoints,
            Durable::Never => Self::Never,
        }
    }
}

impl Config {
    /// Reads the file, or gives the defaults when none is named and the usual one is not there.
    pub(crate) fn read(named: Option<&Path>, workspace: &Path) -> Result<(Self, PathBuf)> {
        let file = named.map_or_else(|| workspace.join("seam.toml"), Path::to_owned);
        // A link that leads nowhere is there: the settings it should lead to are missed, not absent.
        let is_absent = || fs::symlink_metadata(&file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if named.is_none() && is_absent() {
            return Ok((Self::default(), file));
        }
        let text = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        Ok((Self::parse(&text, &file)?, file))
    }

    /// What the text of a settings file says.
    pub(crate) fn parse(text: &str, file: &Path) -> Result<Self> {
        let mut config: Self = toml::from_str(text).with_context(|| format!("{} is not usable", file.display()))?;
        config.check_limits().with_context(|| format!("{} is not usable", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        for outside in &mut config.workspace.outside {
            let named = folder.join(&*outside);
            *outside = named.canonicalize().with_context(|| {
                format!("{}: `outside` names {}, which cannot be used", file.display(), named.display())
            })?;
        }
        Ok(config)
    }

    /// Limits under which a plugin could never do anything, or that it would not be given.
    fn check_limits(&self) -> Result<()> {
        for (plugin, Settings { limits, on_failure, .. }) in &self.plugins {
            if let Some(fault) = on_failure.fault() {
                bail!("`on-failure` under `[plugins.{plugin}]`: {fault}");
            }
            let table = format!("[plugins.{plugin}.limits]");
            let most = Limits::MOST_MEMORY_MIB;
            ensure!(limits.time_ms > 0, "`time-ms` under `{table}` is 0; give at least 1");
            let memory = limits.memory_mib;
            ensure!((1..=most).contains(&memory), "`memory-mib` under `{table}` is {memory}; give 1 to {most}");
            ensure!(limits.tool_time_ms > 0, "`tool-time-ms` under `{table}` is 0; give at least 1");
        }
        Ok(())
    }

    /// What is set for a plugin.
    pub(crate) fn settings(&self, plugin: &str) -> Settings {
        self.plugins.get(plugin).cloned().unwrap_or_default()
    }

    /// Settings for a plugin that is not there are a mistake worth stopping for: it may be a rule nobody applies.
    pub(crate) fn check_names(&self, loaded: &[&str], file: &Path) -> Result<()> {
        match self.plugins.keys().find(|name| !loaded.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => bail!(
                "{} has settings for plugin `{name}`, which is not loaded (loaded: {}); correct the name, or remove the \
                 settings",
                file.display(),
                if loaded.is_empty() { "none".to_owned() } else { loaded.join(", ") }
            ),
        }
    }
}
