//! Settings: `seam.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use seam_harness::{CompactionSettings, Restore, RetrySettings, Upkeep};
use seam_plugins::{Limits, Settings};
use seam_session::{Durability, JournalBounds};
use serde::Deserialize;

/// What `seam.toml` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) workspace: Workspace,
    pub(crate) session: Sessions,
    pub(crate) retry: Retry,
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
    pub(crate) missing_tools: MissingTools,
    /// How large the journal of a session gets. 0: none is kept.
    journal_mib: Option<u32>,
    pub(crate) compaction: Compaction,
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

/// What becomes of tools that a session has active and that are not there.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissingTools {
    /// The session does not start.
    Fail,
    /// It goes on without them for good.
    #[default]
    Drop,
    /// It goes on without them until they are there again.
    Keep,
}

impl From<MissingTools> for Restore {
    fn from(missing: MissingTools) -> Self {
        match missing {
            MissingTools::Fail => Self::Fail,
            MissingTools::Drop => Self::Drop,
            MissingTools::Keep => Self::Keep,
        }
    }
}

/// When a session is made shorter, and how far. In tokens.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Compaction {
    /// Whether it is when it is nearly too long for the model.
    enabled: bool,
    /// So many are left free for the model's answer.
    reserve_tokens: u32,
    /// About so many at the end stay as they are.
    keep_recent_tokens: u32,
    /// So many the model can read and write at once.
    window: u32,
}

impl Default for Compaction {
    fn default() -> Self {
        let Upkeep { context_window: window, compaction, .. } = Upkeep::default();
        let CompactionSettings { enabled, reserve_tokens, keep_recent_tokens } = compaction;
        Self { enabled, reserve_tokens, keep_recent_tokens, window }
    }
}

/// When a provider is asked again that failed in a way which may pass.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Retry {
    /// How often.
    max: u32,
    /// How long to wait before the first time; each wait is twice as long as the one before.
    base_ms: u32,
}

impl Default for Retry {
    fn default() -> Self {
        let RetrySettings { max, base } = RetrySettings::default();
        Self { max, base_ms: u32::try_from(base.as_millis()).unwrap_or(u32::MAX) }
    }
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
        let checked = config.check_limits().and_then(|()| config.check_compaction());
        checked.with_context(|| format!("{} is not usable", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        for outside in &mut config.workspace.outside {
            let named = folder.join(&*outside);
            *outside = named.canonicalize().with_context(|| {
                format!("{}: `outside` names {}, which cannot be used", file.display(), named.display())
            })?;
        }
        Ok(config)
    }

    /// How large a journal gets, if one is kept.
    pub(crate) fn journal(&self) -> Option<JournalBounds> {
        let bounds =
            self.session.journal_mib.map_or_else(JournalBounds::default, |mib| JournalBounds::of(u64::from(mib) << 20));
        (bounds.total > 0).then_some(bounds)
    }

    /// How conversations are kept going.
    pub(crate) fn upkeep(&self) -> Upkeep {
        let Compaction { enabled, reserve_tokens, keep_recent_tokens, window } = self.session.compaction;
        Upkeep {
            context_window: window,
            compaction: CompactionSettings { enabled, reserve_tokens, keep_recent_tokens },
            retry: RetrySettings { max: self.retry.max, base: Duration::from_millis(self.retry.base_ms.into()) },
        }
    }

    /// A window in which there is no room for what is always in it.
    fn check_compaction(&self) -> Result<()> {
        let Compaction { reserve_tokens, keep_recent_tokens, window, .. } = self.session.compaction;
        ensure!(reserve_tokens > 0, "`reserve-tokens` under `[session.compaction]` is 0; give at least 1");
        let taken = u64::from(reserve_tokens) + u64::from(keep_recent_tokens);
        ensure!(
            taken < u64::from(window),
            "`[session.compaction]` reserves {reserve_tokens} tokens and keeps {keep_recent_tokens} recent ones, and the \
             window has only {window}; give a larger `window`, or smaller `reserve-tokens` and `keep-recent-tokens`"
        );
        Ok(())
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
