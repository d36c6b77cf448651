//! What every command begins with that asks plugins: the settings, the plugins, the tools, and a session that they take
//! part in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use seam_harness::seams::{Command, User};
use seam_harness::{Conversation, Dispatcher, HookBus, HostRules, Journals, ToolSet};
use seam_plugins::{Connected, connect};
use seam_tools::Workspace;

use crate::commands::run::granted;
use crate::commands::run::outer::{self, Rules};
use crate::commands::run::plugins::{self, Loaded, NotLoaded, Wanted};
use crate::commands::run::protected;
use crate::commands::run::session::Kept;
use crate::config::Config;
use crate::lock::Lock;

/// A workspace and its settings.
pub(in crate::commands) struct Base {
    /// The workspace, canonical.
    pub(in crate::commands) cwd: PathBuf,
    pub(in crate::commands) config: Config,
    /// Where its sessions are, if that is not the usual place.
    pub(super) kept: Vec<PathBuf>,
}

/// A workspace with its plugins and tools.
pub(in crate::commands) struct Ground {
    pub(in crate::commands) base: Base,
    pub(in crate::commands) loaded: Loaded,
    folder: Option<PathBuf>,
    around: Vec<Rules>,
    /// Where its tools work, until it is joined.
    workspace: Option<Workspace>,
    /// The same, from then on.
    in_use: Option<Arc<Workspace>>,
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
    /// Reads the user's settings, and those that are named or the usual ones.
    pub(in crate::commands) fn read(cwd: &Path, config: Option<&Path>) -> Result<Self> {
        let cwd = cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", cwd.display()))?;
        Ok(Self { config: Config::read(config, &cwd)?, cwd, kept: Vec::new() })
    }

    /// What is kept is kept here.
    pub(in crate::commands) fn keeping(self, kept: &[PathBuf]) -> Self {
        Self { kept: kept.to_vec(), ..self }
    }

    /// Only plugins that are as they were locked may run, if it was asked for.
    pub(in crate::commands) fn locked(mut self, asked: bool) -> Self {
        self.config.locked |= asked;
        self
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
        Ok(match self.ground(folder, around, None).await? {
            Ok(ground) => {
                ground.loaded.tell();
                Some(ground)
            }
            Err(not_loaded) => {
                not_loaded.tell("run");
                None
            }
        })
    }

    /// Loads them again, for a conversation that goes on: also what its tools work in goes on.
    pub(super) async fn load_again(self, named: Option<&Path>, before: &Ground) -> Result<Result<Ground, NotLoaded>> {
        let folder = plugins::folder_again(named, &self.cwd)?;
        self.ground(folder, before.around.clone(), Some(before)).await
    }

    async fn ground(
        self,
        folder: Option<PathBuf>,
        around: Vec<Rules>,
        before: Option<&Ground>,
    ) -> Result<Result<Ground, NotLoaded>> {
        match granted::before_start(&self, folder.as_deref(), &around) {
            Ok(None) => {}
            Ok(Some(not_loaded)) => return Ok(Err(not_loaded)),
            Err(fault) => return Ok(Err(NotLoaded::outer(&fault))),
        }
        let lock = Lock::read(&self.config)?;
        let in_force: Vec<String> = before.iter().flat_map(|before| before.loaded.own_names()).collect();
        let (folder_of, lock, config) = (folder.as_deref(), lock.as_ref(), &self.config);
        let wanted = Wanted { around: &around, folder: folder_of, config, lock, in_force: &in_force };
        let loaded = match plugins::load(&wanted).await? {
            Ok(loaded) => loaded,
            Err(not_loaded) => return Ok(Err(not_loaded)),
        };
        self.config.check_names(&loaded.names())?;
        let within = outer::value(&around, Rules::of(&loaded.own, &self.config)?)?;
        let (mut workspace, read_only) = self.workspace(before)?;
        if let Some(value) = within {
            workspace = workspace.with_variable(outer::VARIABLE, value);
        }
        for name in self.config.kept_from_commands()? {
            workspace = workspace.without_variable(name);
        }
        Ok(Ok(Ground { base: self, loaded, folder, around, workspace: Some(workspace), in_use: None, read_only }))
    }

    /// What the tools work in, and where they may read and not write.
    fn workspace(&self, before: Option<&Ground>) -> Result<(Workspace, Vec<PathBuf>)> {
        let outside = &self.config.workspace.outside;
        if let Some((before, in_use)) = before.and_then(|before| Some((before, before.in_use.as_ref()?))) {
            return Ok((in_use.renewed(outside)?, before.read_only.clone()));
        }
        let mut workspace = Workspace::open(&self.cwd, outside)
            .with_context(|| format!("the workspace {} cannot be opened", self.cwd.display()))?;
        let read_only = keep_output(&mut workspace);
        Ok((workspace, read_only))
    }
}

impl Ground {
    /// Lets the plugins take part in a session. None when one cannot, which was told.
    pub(in crate::commands) async fn join(&mut self, kept: &Kept) -> Result<Option<Joined>> {
        let conversation = kept.log.as_ref().map(|log| Conversation::of(log.session())).transpose()?;
        self.join_as(conversation.unwrap_or_default(), kept).await
    }

    /// The same, in a conversation that is not that of what is kept.
    pub(in crate::commands) async fn join_as(
        &mut self,
        conversation: Conversation,
        kept: &Kept,
    ) -> Result<Option<Joined>> {
        let told = self.loaded.left_out.len();
        Ok(match self.connect(Arc::new(conversation), kept).await? {
            Ok(joined) => {
                self.loaded.tell_beyond(told);
                Some(joined)
            }
            Err(not_loaded) => {
                kept.leave();
                not_loaded.tell("run");
                None
            }
        })
    }

    /// The same, in a conversation that may be under way.
    pub(super) async fn connect(
        &mut self,
        conversation: Arc<Conversation>,
        kept: &Kept,
    ) -> Result<Result<Joined, NotLoaded>> {
        let rules = self.rules(kept);
        if let Some(not_loaded) = granted::fault(&self.loaded.plugins, &rules) {
            return Ok(Err(not_loaded));
        }
        let workspace = self.workspace.take();
        let journals = rules.journals.clone();
        self.in_use = workspace.map(|workspace| Arc::new(workspace.without(move |path| journals.hold(path))));
        let own = self.in_use.as_ref().map(seam_tools::tools).unwrap_or_default();
        let Connected { bus, tools, commands, .. } = loop {
            let (conversation, own) = (Arc::clone(&conversation), own.clone());
            let connected = connect(&self.loaded.plugins, conversation, own, kept.journal.as_ref()).await;
            match connected.errors.as_slice() {
                [] => break connected,
                errors if self.loaded.go_on_without(errors) => {}
                errors => return Ok(Err(NotLoaded::apart(errors, &self.loaded, self.folder.as_deref()))),
            }
        };
        Ok(Ok(Joined { commands, bus, tools: ToolSet::new(tools)?, rules }))
    }

    fn rules(&self, kept: &Kept) -> HostRules {
        let Base { cwd, config, .. } = &self.base;
        let named: Vec<PathBuf> =
            protected::usual(cwd, config).into_iter().chain(self.folder.clone()).chain(kept.files()).collect();
        HostRules {
            outside: config.workspace.outside.clone(),
            read_only: self.read_only.clone(),
            protected: protected::paths(&named, self.folder.as_deref(), &self.loaded.plugins, &self.around),
            journals: Journals {
                files: kept.journal.iter().flat_map(|journal| protected::way(journal.path())).collect(),
                folders: kept.root().into_iter().flat_map(protected::way).collect(),
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
