//! What every command begins with that asks plugins: the settings, the plugins, the tools, and a session that they take
//! part in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use seam_harness::seams::{Command, User};
use seam_harness::{Conversation, Dispatcher, HookBus, HostRules, Journals, ToolSet};
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Model, Provider, ProviderError, Request};
use seam_plugins::{Connected, Plugin, connect};
use seam_providers::scripted::{Script, Scripted};
use seam_tools::Workspace;

use crate::commands::run::outer::{self, Rules};
use crate::commands::run::plugins::{self, Loaded};
use crate::commands::run::protected;
use crate::commands::run::session::{self, Kept};
use crate::config::Config;

/// What is to be done for there to be a model.
const NO_MODEL: &str = "there is no model to ask: give `--script FILE`, a JSON file whose `turns` play the model";

/// A workspace and its settings.
pub(in crate::commands) struct Base {
    /// The workspace, canonical.
    pub(in crate::commands) cwd: PathBuf,
    pub(in crate::commands) config: Config,
    config_file: PathBuf,
}

/// A workspace with its plugins and tools.
pub(in crate::commands) struct Ground {
    pub(in crate::commands) base: Base,
    pub(in crate::commands) loaded: Loaded,
    folder: Option<PathBuf>,
    around: Vec<Rules>,
    /// Where its tools work, until it is joined.
    workspace: Option<Workspace>,
    /// Where tools may read and not write.
    read_only: Vec<PathBuf>,
}

/// The plugins and tools of a session.
pub(in crate::commands) struct Joined {
    pub(in crate::commands) commands: Vec<Command>,
    bus: HookBus,
    tools: ToolSet,
    rules: HostRules,
}

impl Base {
    /// Reads the settings that are named, or the usual ones.
    pub(in crate::commands) fn read(cwd: &Path, config: Option<&Path>) -> Result<Self> {
        let cwd = cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", cwd.display()))?;
        let (config, config_file) = Config::read(config, &cwd)?;
        Ok(Self { cwd, config, config_file })
    }

    /// Loads the plugins of the folder that is named, or of the usual one. None when one cannot be loaded, which was told.
    pub(in crate::commands) async fn load(self, named: Option<&Path>) -> Result<Option<Ground>> {
        let folder = plugins::folder(named, &self.cwd)?;
        let around = match outer::around() {
            Ok(around) => around,
            Err(fault) => {
                plugins::complain_of_outer(&fault);
                return Ok(None);
            }
        };
        let loaded = plugins::load(&around, folder.as_deref(), &self.config).await?;
        let Some(loaded) = loaded else { return Ok(None) };
        let own: Vec<&str> = loaded.own.iter().map(Plugin::name).collect();
        self.config.check_names(&own, &self.config_file)?;
        let within = outer::value(&around, Rules::of(&loaded.own, &self.config_file)?)?;
        let mut workspace = Workspace::open(&self.cwd, &self.config.workspace.outside)
            .with_context(|| format!("the workspace {} cannot be opened", self.cwd.display()))?;
        if let Some(value) = within {
            workspace = workspace.with_variable(outer::VARIABLE, value);
        }
        let read_only = keep_output(&mut workspace);
        Ok(Some(Ground { base: self, loaded, folder, around, workspace: Some(workspace), read_only }))
    }
}

impl Ground {
    /// Lets the plugins take part in a session. None when one cannot, which was told.
    pub(in crate::commands) async fn join(&mut self, kept: &Kept) -> Result<Option<Joined>> {
        let conversation =
            kept.log.as_ref().map_or_else(Conversation::default, |log| Conversation::new(session::id(log)));
        self.join_as(conversation, kept).await
    }

    /// The same, in a conversation that is not that of what is kept.
    pub(in crate::commands) async fn join_as(
        &mut self,
        conversation: Conversation,
        kept: &Kept,
    ) -> Result<Option<Joined>> {
        let (rules, workspace) = (self.rules(kept), self.workspace.take());
        let journals = rules.journals.clone();
        let workspace = workspace.map(|workspace| Arc::new(workspace.without(move |path| journals.hold(path))));
        let own = workspace.as_ref().map(seam_tools::tools).unwrap_or_default();
        let connected = connect(&self.loaded.plugins, Arc::new(conversation), own, kept.journal.as_ref()).await;
        let Connected { bus, tools, commands, errors } = connected;
        if !errors.is_empty() {
            kept.leave();
            plugins::complain_of(&errors, &self.loaded, self.folder.as_deref());
            return Ok(None);
        }
        Ok(Some(Joined { commands, bus, tools: ToolSet::new(tools)?, rules }))
    }

    fn rules(&self, kept: &Kept) -> HostRules {
        let Base { cwd, config, config_file } = &self.base;
        let usual = [cwd.join("seam.toml"), cwd.join(".seam"), cwd.join(".seam/plugins"), config_file.clone()];
        let named: Vec<PathBuf> = usual.into_iter().chain(self.folder.clone()).chain(kept.files()).collect();
        HostRules {
            outside: config.workspace.outside.clone(),
            read_only: self.read_only.clone(),
            protected: protected::paths(&named, &self.loaded.plugins, &self.around),
            journals: Journals {
                files: kept.journal.iter().flat_map(|journal| protected::both(journal.path())).collect(),
                folders: kept.root().into_iter().flat_map(protected::both).collect(),
            },
        }
    }
}

impl Joined {
    /// The way of tool calls, with someone to ask if there is someone.
    pub(in crate::commands) fn dispatcher(self, user: Option<Arc<dyn User>>) -> (Dispatcher, Vec<Command>) {
        (Dispatcher::new(self.tools, self.bus, self.rules, user), self.commands)
    }

    /// The plugins alone.
    pub(in crate::commands) fn bus(&self) -> &HookBus {
        &self.bus
    }
}

/// Lets long output of commands be kept. Gives the folder; without one it goes on, and the model sees the end only.
fn keep_output(workspace: &mut Workspace) -> Vec<PathBuf> {
    match workspace.keep_output() {
        Ok(folder) => vec![folder.to_owned()],
        Err(error) => {
            tracing::warn!("long output of commands is not kept for the model: {error}");
            Vec::new()
        }
    }
}

/// The model that a script plays.
pub(in crate::commands) fn provider(script: Option<&Path>) -> Result<Arc<dyn Provider>> {
    let Some(file) = script else { bail!(NO_MODEL) };
    Ok(Arc::new(Scripted::new(Script::read(file)?)))
}

/// The same, for a command that asks a model only if no plugin answers first.
pub(in crate::commands) fn provider_if_any(script: Option<&Path>) -> Result<Arc<dyn Provider>> {
    if script.is_none() { Ok(Arc::new(NoModel)) } else { provider(script) }
}

/// What the model is called.
pub(in crate::commands) fn model(provider: &dyn Provider) -> Model {
    Model { provider: provider.name().to_owned(), id: "scripted".to_owned() }
}

/// Nobody.
struct NoModel;

#[async_trait]
impl Provider for NoModel {
    fn name(&self) -> &str {
        "none"
    }

    async fn stream(&self, _: Request<'_>, _: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        Err(ProviderError::new(NO_MODEL))
    }
}
