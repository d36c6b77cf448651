//! A loaded plugin: compiled, linked to what it may reach, and started once to prove that it can.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::engine::PluginEngine;
use crate::inspect::{Digest, Inspection, Item};
use crate::instance::Instances;
use crate::limits::{InstancePolicy, Mode, OnFailureRules, Settings};
use crate::load::{LoadProblem, plugin_name};
use crate::reach;
use crate::seams::Indices;
use crate::state::{NoteBudget, Shared};

/// A loaded plugin. Cloning shares it.
#[derive(Clone)]
pub struct Plugin {
    file: PathBuf,
    digest: Digest,
    on_failure: OnFailureRules,
    mode: Mode,
    pub(crate) linked: Arc<Linked>,
}

/// What is needed to make instances of it.
pub(crate) struct Linked {
    pub(crate) engine: wasmtime::Engine,
    pub(crate) shared: Arc<Shared>,
    pub(crate) policy: InstancePolicy,
    pub(crate) pre: InstancePre<crate::state::State>,
    pub(crate) indices: Indices,
    pub(crate) imports: Imports,
}

/// What a plugin imports of that which has to be put in for each call.
pub(crate) struct Imports {
    /// WASI: it gets an inert one, and may wait in it.
    pub(crate) wasi: bool,
    pub(crate) conversation: bool,
    pub(crate) full_result: bool,
    pub(crate) tool_updates: bool,
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
        let pre = linker.instantiate_pre(component).map_err(start)?;
        let imports = |wanted: &str| used(&inspection.imports).any(|import| import.name.starts_with(wanted));
        let linked = Arc::new(Linked {
            engine: engine.engine.clone(),
            shared: Arc::new(shared(engine, file, settings)),
            policy: settings.instance,
            indices: Indices::find(&pre, &inspection.exports)?,
            pre,
            imports: Imports {
                wasi: imports("wasi:"),
                conversation: imports("seam:harness/conversation@"),
                full_result: imports("seam:harness/full-result@"),
                tool_updates: imports("seam:harness/tool-updates@"),
            },
        });
        Instances::new(Arc::clone(&linked), None).probe().await?;
        let (digest, on_failure, mode) = (inspection.digest, settings.on_failure.clone(), settings.mode);
        Ok(Self { file: file.to_owned(), digest, on_failure, mode, linked })
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
        self.digest
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

fn used(imports: &[Item]) -> impl Iterator<Item = &Item> {
    imports.iter().filter(|import| !import.members.is_empty())
}

fn shared(engine: &PluginEngine, file: &Path, settings: &Settings) -> Shared {
    let config = Value::Object(settings.config.clone()).to_string();
    Shared {
        name: plugin_name(file).into(),
        settings: Digest::of(config.as_bytes()).to_string(),
        config,
        limits: settings.limits.clone(),
        notes: NoteBudget::default(),
        clock: Arc::clone(&engine.ticks),
    }
}
