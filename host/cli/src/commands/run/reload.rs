//! Plugins that are loaded again when their files or settings have changed: all of them, and whole. What does not load
//! takes nobody's place.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use seam_harness::seams::User;
use seam_harness::{Harness, NewPlugins};
use seam_plugins::watch::{Fingerprint, Sources};
use seam_plugins::{Audit, Grants, Plugin, announce};

use crate::args::RunArgs;
use crate::commands::run::plugins::NotLoaded;
use crate::commands::run::session::Kept;
use crate::commands::run::start::{Base, Ground};
use crate::config::Config;
use crate::faults;
use crate::lock::Lock;
use crate::terminal::reloaded::{Change, Screen};
use crate::trust;

/// What is in force, and what it was loaded from.
pub(super) struct InForce {
    pub(super) ground: Ground,
    pub(super) kept: Kept,
    pub(super) named: Named,
    pub(super) user: Option<Arc<dyn User>>,
    pub(super) screen: Screen,
    pub(super) seen: Seen,
}

/// How the files looked when they were loaded, or could not be.
pub(super) struct Seen {
    fingerprint: Fingerprint,
    /// Somebody had written to them just before: they may have changed unseen.
    is_young: bool,
}

/// What was asked for on the command line.
pub(super) struct Named {
    cwd: PathBuf,
    config: Option<PathBuf>,
    plugins: Option<PathBuf>,
    locked: bool,
    /// Where the session is kept, as far as it is named.
    kept: Vec<PathBuf>,
}

/// Why the plugins stay as they are.
struct Stays {
    faults: Vec<String>,
    /// What can be done, behind the words that say so.
    remedy: String,
    is_partial: bool,
}

impl Named {
    pub(super) fn of(args: &RunArgs) -> Self {
        let RunArgs { cwd, config, plugins, locked, .. } = args;
        let file = args.session.as_ref().map(PathBuf::from).filter(|named| named.exists());
        let kept = args.session_dir.iter().cloned().chain(file).collect();
        Self { cwd: cwd.clone(), config: config.clone(), plugins: plugins.clone(), locked: *locked, kept }
    }

    /// The settings.
    pub(super) fn base(&self) -> Result<Base> {
        Ok(Base::read(&self.cwd, self.config.as_deref())?.locked(self.locked).keeping(&self.kept))
    }

    /// Everything that decides what is loaded.
    fn sources(&self, Base { cwd, config, .. }: &Base) -> Sources {
        let folder = self.plugins.clone().unwrap_or_else(|| cwd.join(".seam").join("plugins"));
        let settings = [config.origin.project.clone(), Lock::file(config)];
        let files = settings.into_iter().chain(config.origin.user.clone()).chain(trust::place().ok());
        Sources { folder: Some(folder), files: files.collect() }
    }

    /// How everything looks now.
    pub(super) fn look(&self, base: &Base) -> Seen {
        let sources = self.sources(base);
        let fingerprint = sources.fingerprint();
        Seen { fingerprint, is_young: sources.are_young() }
    }
}

impl InForce {
    /// Loads the plugins again if anything has changed, and tells of it.
    pub(super) async fn renew(&mut self, harness: &mut Harness) {
        let sources = self.named.sources(&self.ground.base);
        let Seen { fingerprint, is_young } = &self.seen;
        if !is_young && *fingerprint == sources.fingerprint() {
            return;
        }
        let loaded = sources.load(fingerprint, async || self.load().await, is_partial).await;
        match loaded {
            Err(being_written) => self.stays(&Stays::because(&being_written.into())),
            Ok((fingerprint, loaded)) => {
                self.seen = Seen { fingerprint, is_young: false };
                if let Err(why) = self.put_in_force(loaded, harness).await {
                    self.stays(&why);
                }
            }
        }
    }

    async fn load(&self) -> Result<Ground, Stays> {
        let loaded = async { self.named.base()?.load_again(self.named.plugins.as_deref(), &self.ground).await };
        Ok(loaded.await??)
    }

    /// Puts what was loaded in the place of what is there.
    async fn put_in_force(&mut self, loaded: Result<Ground, Stays>, harness: &mut Harness) -> Result<(), Stays> {
        let mut ground = loaded?;
        let Some(change) = self.change(&ground) else { return Ok(()) };
        let replaced = self.replace(&mut ground, harness).await;
        if let (Err(_), Some(journal)) = (&replaced, &self.kept.journal) {
            announce(&self.ground.loaded.plugins, journal);
        }
        replaced?;
        ground.loaded.tell();
        self.screen.reloaded(&change, &ground.loaded.plugins);
        self.screen.missing(&ground.loaded);
        self.ground = ground;
        Ok(())
    }

    async fn replace(&self, ground: &mut Ground, harness: &mut Harness) -> Result<(), Stays> {
        let joined = ground.connect(Arc::clone(harness.conversation()), &self.kept).await??;
        let (dispatcher, commands) = joined.dispatcher(self.user.clone());
        let config = &ground.base.config;
        let (restore, upkeep) = (config.session.missing_tools.into(), config.upkeep());
        let replaced = harness.replace_plugins(NewPlugins { dispatcher, commands, restore, upkeep }).await;
        replaced.context("the plugins were not loaded again").map_err(Into::into)
    }

    /// What is otherwise now; nothing when nothing is.
    fn change<'a>(&'a self, now: &'a Ground) -> Option<Change> {
        let (old, new) = (&self.ground, now);
        let settings = |ground: &Ground, plugin: &Plugin| ground.base.config.settings(plugin.name());
        let is_other = |before: &Plugin, now: &Plugin| {
            before.grants() != now.grants() || settings(old, before) != settings(new, now)
        };
        let outside = |ground: &'a Ground| &*ground.base.config.workspace.outside;
        let change = Change::of(&old.loaded.plugins, &new.loaded.plugins, is_other);
        let is_providers = old.base.config.providers != new.base.config.providers;
        let change = change.with_outside(outside(old), outside(new)).with_providers(is_providers);
        let read = |config: &Config| config.origin.read.clone();
        let is_same = change.is_nothing()
            && read(&old.base.config) == read(&new.base.config)
            && old.loaded.left_out == new.loaded.left_out;
        (!is_same).then_some(change)
    }

    fn stays(&self, why: &Stays) {
        self.screen.stays(&why.faults, &why.remedy);
    }
}

/// Whether somebody may still be writing what is missing.
fn is_partial(loaded: &Result<Ground, Stays>) -> bool {
    match loaded {
        Err(why) => why.is_partial,
        Ok(ground) => ground.loaded.left_out.iter().any(|left_out| {
            Audit::of_file(&left_out.file, &Grants::default()).is_err_and(|problem| problem.may_be_partial())
        }),
    }
}

impl Stays {
    fn because(fault: &anyhow::Error) -> Self {
        Self { faults: vec![faults::told(fault)], remedy: String::new(), is_partial: false }
    }
}

impl From<anyhow::Error> for Stays {
    fn from(fault: anyhow::Error) -> Self {
        Self::because(&fault)
    }
}

impl From<NotLoaded> for Stays {
    fn from(NotLoaded { faults, remedy, is_partial }: NotLoaded) -> Self {
        Self { faults, remedy, is_partial }
    }
}
