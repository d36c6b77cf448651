//! A loaded plugin: compiled, linked to what it may reach, and started once to prove that it can.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::contract::PACKAGE;
use crate::engine::PluginEngine;
use crate::grants::Grants;
use crate::inspect::{Digest, Inspection, Item};
use crate::instance::Instances;
use crate::limits::{InstancePolicy, Mode, OnFailureRules, Settings};
use crate::load::{LoadProblem, plugin_name};
use crate::pool::{self, Pool};
use crate::reach;
use crate::seams::Indices;
use crate::state::{NoteBudget, Shared};
use crate::wasi::Granted;

/// A loaded plugin. Cloning shares it.
#[derive(Clone)]
pub struct Plugin {
    file: PathBuf,
    inspection: Arc<Inspection>,
    on_failure: OnFailureRules,
    mode: Mode,
    pub(crate) linked: Arc<Linked>,
}

/// What is needed to make instances of it.
pub(crate) struct Linked {
    pub(crate) engine: wasmtime::Engine,
    pub(crate) pool: Arc<Pool>,
    /// How many instances a session has at most at each depth of calls within calls.
    pub(crate) places: usize,
    pub(crate) shared: Arc<Shared>,
    pub(crate) policy: InstancePolicy,
    pub(crate) pre: InstancePre<crate::state::State>,
    pub(crate) indices: Indices,
    pub(crate) imports: Imports,
    /// What of WASI it is granted.
    pub(crate) granted: Granted,
    /// Whether that is there. For a replay it is not.
    pub(crate) live: bool,
}

/// What a plugin imports of that which has to be put in for each call.
pub(crate) struct Imports {
    /// WASI: it may wait in it.
    pub(crate) wasi: bool,
    /// `wasi:http`: it may wait for the network.
    pub(crate) http: bool,
    /// Something that reads the conversation or reaches into it.
    pub(crate) moment: bool,
    pub(crate) full_result: bool,
    pub(crate) tool_updates: bool,
    pub(crate) state: bool,
}

impl Plugin {
    /// Links a component and starts it once.
    pub(crate) async fn link(
        engine: &PluginEngine,
        file: &Path,
        inspection: &Inspection,
        component: &Component,
        settings: &Settings,
    ) -> Result<Self, LoadProblem> {
        let start = |error: wasmtime::Error| LoadProblem::Start(format!("{error:#}"));
        let mut linker = Linker::new(&engine.engine);
        reach::link(&mut linker, &inspection.imports).map_err(start)?;
        let wrong = |error: wasmtime::Error| LoadProblem::WrongImport { reason: format!("{error:#}") };
        let pre = linker.instantiate_pre(component).map_err(wrong)?;
        let imports = |wanted: &str| used(&inspection.imports).any(|import| import.name.starts_with(wanted));
        let grants = settings.grants.of(&inspection.digest);
        let linked = Arc::new(Linked {
            engine: engine.engine.clone(),
            pool: Arc::clone(&engine.pool),
            places: pool::places(component),
            granted: Granted::of(&grants, settings.mode),
            live: engine.live,
            shared: Arc::new(shared(engine, file, settings, grants)),
            policy: settings.instance,
            indices: Indices::find(&pre, &inspection.exports)?,
            pre,
            imports: Imports {
                wasi: imports("wasi:"),
                http: imports("wasi:http/"),
                moment: used(&inspection.imports).any(needs_moment),
                full_result: imports("seam:harness/full-result@"),
                tool_updates: imports("seam:harness/tool-updates@"),
                state: imports("seam:harness/state@"),
            },
        });
        Instances::new(Arc::clone(&linked), None).probe().await?;
        let (inspection, on_failure) = (Arc::new(inspection.clone()), settings.on_failure.clone());
        Ok(Self { file: file.to_owned(), inspection, on_failure, mode: settings.mode, linked })
    }

    /// Its name: the file's, without `.wasm`.
    pub fn name(&self) -> &str {
        &self.linked.shared.name
    }

    /// Its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The digest of what was loaded.
    pub fn digest(&self) -> Digest {
        self.inspection.digest
    }

    /// What was read from the bytes that were loaded.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// What it may reach: what is granted to it, if that holds for this file.
    pub fn grants(&self) -> &Grants {
        &self.linked.shared.grants
    }

    /// Whether what it decides changes nothing.
    pub fn is_shadow(&self) -> bool {
        self.mode == Mode::Shadow
    }

    /// The digest of its own settings, as the journal has it.
    pub fn settings_digest(&self) -> &str {
        &self.linked.shared.settings
    }

    /// What its failure means.
    pub fn on_failure(&self) -> &OnFailureRules {
        &self.on_failure
    }
}

/// Whether an import is about the conversation of the call.
fn needs_moment(import: &Item) -> bool {
    const WITHOUT: [&str; 4] = ["log", "config", "full-result", "tool-updates"];
    matches!(import.interface(), Some((PACKAGE, interface, _)) if !WITHOUT.contains(&interface))
}

fn used(imports: &[Item]) -> impl Iterator<Item = &Item> {
    imports.iter().filter(|import| !import.members.is_empty())
}

fn shared(engine: &PluginEngine, file: &Path, settings: &Settings, grants: Grants) -> Shared {
    let config = Value::Object(settings.config.clone()).to_string();
    Shared {
        name: plugin_name(file).into(),
        settings: Digest::of(config.as_bytes()).to_string(),
        config,
        limits: settings.limits.clone(),
        grants,
        shadow: settings.mode == Mode::Shadow,
        notes: NoteBudget::default(),
        clock: Arc::clone(&engine.ticks),
    }
}
