//! Settings: the user's `seam.toml`, and the project's over it.

mod check;
mod kept;
mod layer;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use etcetera::BaseStrategy as _;
use seam_harness::{CompactionSettings, RetrySettings, Upkeep};
use seam_plugins::inspect::Digest;
use seam_plugins::{Grants, Settings};
use seam_providers::{InvalidProvider, ProviderSettings, Providers};
use seam_session::JournalBounds;
use serde::Deserialize;
use toml::Table;

pub(crate) use self::kept::{Compaction, Retry, Sessions};
use self::layer::Layer;
use self::source::Source;
pub(crate) use self::source::hint;

/// The largest file of settings, in bytes.
const LARGEST: u64 = 1 << 20;

/// What `seam.toml` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The model of new sessions: `PROVIDER/NAME[:LEVEL]`.
    pub(crate) model: Option<String>,
    /// What is set of providers, by name.
    pub(crate) providers: BTreeMap<String, ProviderSettings>,
    pub(crate) workspace: Workspace,
    pub(crate) session: Sessions,
    pub(crate) retry: Retry,
    /// Whether plugins that are not as `seam.lock` has them stop a run. Who asks for it has it: no other file undoes it.
    pub(crate) locked: bool,
    /// These plugins come first, in this order.
    pub(crate) plugin_order: Vec<String>,
    /// By the plugin's name: its file's, without `.wasm`.
    pub plugins: BTreeMap<String, Settings>,
    #[serde(skip)]
    pub(crate) origin: Origin,
}

/// What the tools may touch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Workspace {
    /// Folders outside the workspace that tools may use. Relative to the settings file.
    pub(crate) outside: Vec<PathBuf>,
    /// Variables with keys of providers that shell commands find in their environment all the same.
    pub(crate) keep_env: Vec<String>,
}

/// Where settings come from.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// The user's own file, whether it is there or not.
    pub(crate) user: Option<PathBuf>,
    /// The project's file, whether it is there or not.
    pub(crate) project: PathBuf,
    /// Whether the project's file was named by the user, so that what it grants is the user's word.
    pub(crate) is_named: bool,
    /// Those that were read, the user's first, with the digest of their text.
    pub(crate) read: Vec<(PathBuf, Digest)>,
    /// What the user's own file grants, by plugin.
    pub(crate) granted: BTreeMap<String, Grants>,
    /// The user's own file and the project's as they stand there.
    pub(crate) of_user: Table,
    pub(crate) of_project: Table,
    /// The plugins that the project's file names: they have to be there.
    wanted: BTreeSet<String>,
}

impl Config {
    /// Reads the user's file, if there is one, and over it the one that is named, or the usual one if it is there.
    pub(crate) fn read(named: Option<&Path>, workspace: &Path) -> Result<Self> {
        let project = named.map_or_else(|| workspace.join("seam.toml"), Path::to_owned);
        let user = user_file();
        let of_user = user.as_deref().map(text_if_any).transpose()?.flatten();
        let of_project = if named.is_some() { Some(text(&project)?) } else { text_if_any(&project)? };
        let of_user = match (&user, of_user) {
            (Some(file), Some(text)) => Some(Layer::of(&text, file, false)?),
            _ => None,
        };
        let of_project = of_project.map(|text| Layer::of(&text, &project, true)).transpose()?;
        of_project.iter().try_for_each(Layer::holds_no_key)?;
        let granted = of_user.as_ref().map(Layer::granted).unwrap_or_default();
        let wanted = of_project.as_ref().map(Layer::plugins).unwrap_or_default();
        let table = |layer: &Option<Layer>| layer.as_ref().map(|layer| layer.table.clone()).unwrap_or_default();
        let (user_says, project_says) = (table(&of_user), table(&of_project));
        let layers: Vec<Layer> = of_user.into_iter().chain(of_project).collect();
        let read = layers.iter().map(|layer| (layer.file.clone(), layer.digest)).collect();
        let locked = layers.iter().any(Layer::is_locked);
        let is_named = named.is_some();
        let origin =
            Origin { user, project, is_named, read, granted, of_user: user_says, of_project: project_says, wanted };
        Ok(Self { origin, locked, ..Layer::together(layers)? })
    }

    /// What these files say, each over the ones before it.
    pub(crate) fn of(texts: &[(&Path, String)]) -> Result<Self> {
        let layers: Result<Vec<Layer>> = texts.iter().map(|(file, text)| Layer::of(text, file, true)).collect();
        Layer::together(layers?)
    }

    /// What the text of a settings file says. Paths in it are relative to where the file is.
    ///
    /// # Errors
    /// When it cannot be used. The error names the file and the line.
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        Layer::together(vec![Layer::of(text, file, true)?])
    }

    /// How large a journal gets, if one is kept.
    pub(crate) fn journal(&self) -> Option<JournalBounds> {
        let bounds =
            self.session.journal_mib.map_or_else(JournalBounds::default, |mib| JournalBounds::of(u64::from(mib) << 20));
        (bounds.total > 0).then_some(bounds)
    }

    /// The providers that are known and set.
    pub(crate) fn providers(&self) -> Result<Providers, InvalidProvider> {
        Providers::new(&self.providers)
    }

    /// The variables with keys that shell commands do not get.
    pub(crate) fn kept_from_commands(&self) -> Result<impl Iterator<Item = String>> {
        let kept = &self.workspace.keep_env;
        Ok(self.providers()?.key_variables().into_iter().filter(|name| !kept.contains(name)))
    }

    /// How conversations are kept going.
    pub fn upkeep(&self) -> Upkeep {
        let Compaction { enabled, reserve_tokens, keep_recent_tokens, window } = self.session.compaction;
        Upkeep {
            context_window: window,
            compaction: CompactionSettings { enabled, reserve_tokens, keep_recent_tokens },
            retry: RetrySettings { max: self.retry.max, base: Duration::from_millis(self.retry.base_ms.into()) },
        }
    }

    /// What is set for a plugin.
    pub fn settings(&self, plugin: &str) -> Settings {
        self.plugins.get(plugin).cloned().unwrap_or_default()
    }

    /// Whether anything is said of a plugin.
    pub(crate) fn names(&self, plugin: &str) -> bool {
        self.plugins.contains_key(plugin) || self.origin.wanted.contains(plugin)
    }

    /// Where a plugin stands in the order: those that are named in it come first.
    pub(crate) fn place(&self, plugin: &str) -> usize {
        self.plugin_order.iter().position(|name| name == plugin).unwrap_or(usize::MAX)
    }

    /// Settings for a plugin that is not there are a mistake worth stopping for: it may be a rule nobody applies. Those of
    /// the user are for the plugins of all projects.
    pub(crate) fn check_names(&self, there: &[&str]) -> Result<()> {
        match self.origin.wanted.iter().find(|name| !there.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => bail!(
                "{} has settings for plugin `{name}`, which is not loaded (loaded: {}); correct the name, or remove the \
                 settings",
                self.origin.project.display(),
                if there.is_empty() { "none".to_owned() } else { there.join(", ") }
            ),
        }
    }
}

/// Where the user keeps what holds for all projects.
fn user_file() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.config_dir().join("seam").join("seam.toml"))
}

/// A link that leads nowhere is there: the settings it should lead to are missed, not absent.
pub(crate) fn text_if_any(file: &Path) -> Result<Option<String>> {
    match fs::symlink_metadata(file) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        _ if fs::metadata(file).is_ok_and(|metadata| metadata.file_type().is_fifo()) => {
            bail!("{} cannot be read: it is a pipe; put a file in its place, or remove it", file.display())
        }
        _ => text(file).map(Some),
    }
}

/// Why the text of a file that is read like settings cannot be used.
pub(crate) fn misread(text: &str, file: &Path, error: &toml::de::Error) -> anyhow::Error {
    Source { file, text }.misread(error)
}

/// The text of a settings file.
pub(crate) fn text(file: &Path) -> Result<String> {
    let unreadable = || format!("{} cannot be read", file.display());
    let mut text = String::new();
    let opened = File::open(file).with_context(unreadable)?;
    opened.take(LARGEST + 1).read_to_string(&mut text).with_context(unreadable)?;
    ensure!(text.len() as u64 <= LARGEST, "{} is no file of settings: it is longer than 1 MiB", file.display());
    Ok(text)
}
