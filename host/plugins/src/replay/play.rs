//! One plugin, and the instances of it that serve again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use seam_harness::Failure;
use seam_session::journal::Crossing;
use wasmtime::Store;
use wasmtime::component::types::{ComponentItem, Type};
use wasmtime::component::{Component, ComponentExportIndex, Instance, InstancePre, Val};

use crate::link::{Linked, Plugin};
use crate::load::LoadProblem;
use crate::replay::compare::{LEFT_OUT, heard_secret};
use crate::replay::link::{NotOnTape, interface_name, linked};
use crate::replay::tape::Tape;
use crate::replay::value;
use crate::state::{State, TooMuch, View};

/// How many instances are kept at most. A session has no more of one plugin at a time, and some may be left of the
/// segment before.
const MOST_INSTANCES: usize = 16;
/// A result has its time for each piece of this size, in bytes.
const PIECE: usize = 1 << 20;
/// How much more a value takes here than in life, where its type is known when this is compiled.
const AS_VALUES: usize = 64;

/// How a call ended now.
pub(super) enum Now {
    /// With this answer, as JSON text.
    Answer(String),
    /// Not with an answer.
    Failure(Failure),
    /// The plugin does not export the seam.
    NotAsked,
    /// It cannot be said, for this reason.
    Unknown(String),
}

/// A plugin whose calls are made again.
pub(super) struct Player {
    linked: Arc<Linked>,
    pre: InstancePre<State>,
    functions: HashMap<(String, String), Function>,
    instances: BTreeMap<u64, Serving>,
    /// Instances whose memory is not what it was: a call of theirs could not be made again.
    unsure: BTreeSet<u64>,
}

/// A function that the plugin exports.
struct Function {
    index: ComponentExportIndex,
    parameters: Vec<Type>,
    result: Option<Type>,
}

/// An instance that serves again.
struct Serving {
    store: Store<State>,
    instance: Instance,
    /// It is from before the segment that is replayed now.
    old: bool,
}

impl Player {
    pub(super) fn new(plugin: &Plugin) -> Result<Self, LoadProblem> {
        let linked_plugin = Arc::clone(&plugin.linked);
        let (engine, component) = (&linked_plugin.engine, linked_plugin.pre.component());
        let pre = linked(engine, component, &linked_plugin.imports);
        let pre = pre.map_err(|error| LoadProblem::Start(format!("{error:#}")))?;
        let functions = functions(&linked_plugin, component);
        Ok(Self { linked: linked_plugin, pre, functions, instances: BTreeMap::new(), unsure: BTreeSet::new() })
    }

    /// A segment begins, of the same or another run. Of the same, what served last may still end a call.
    pub(super) fn begin(&mut self, other_run: bool) {
        self.instances.retain(|_, serving| !other_run && !std::mem::replace(&mut serving.old, true));
        if other_run {
            self.unsure.clear();
        }
    }

    /// The instance is gone.
    pub(super) fn forget(&mut self, instance: u64) {
        self.instances.remove(&instance);
    }

    /// Makes a call again. Gives how it ends, and whether the instance remembers what it did then. `hides`: a key was left
    /// out of what was recorded.
    pub(super) async fn play(&mut self, crossing: &Crossing<'_>, hides: bool) -> (Now, bool) {
        let now = self.called(crossing).await;
        let sure = !self.unsure.contains(&crossing.instance);
        if matches!(now, Now::Unknown(_)) || (hides && heard_secret(crossing)) {
            self.unsure.insert(crossing.instance);
        }
        (now, sure)
    }

    async fn called(&mut self, crossing: &Crossing<'_>) -> Now {
        let name = (crossing.seam.clone().into_owned(), crossing.function.clone().into_owned());
        let Some(function) = self.functions.get(&name) else { return Now::NotAsked };
        if let Some(reached) = reached(crossing) {
            self.forget(crossing.instance);
            return Now::Unknown(format!("it reached `{reached}` then, and a replay reaches nothing"));
        }
        if crossing.input.is_left_out() {
            self.forget(crossing.instance);
            return Now::Unknown(LEFT_OUT.to_owned());
        }
        let parameters = match value::read_array(&function.parameters, crossing.input.text()) {
            Ok(parameters) => parameters,
            Err(error) => return Now::Unknown(format!("what it was asked cannot be read: {error}")),
        };
        let mut serving = match self.instances.remove(&crossing.instance) {
            Some(serving) => serving,
            None => match self.linked.start(&self.pre, false).await {
                (store, Ok(instance)) => Serving { store, instance, old: false },
                (_, Err(_)) => return Now::Failure(Failure::CouldNotStart),
            },
        };
        let ended = self.call(&mut serving, function, &parameters, crossing).await;
        let state = serving.store.data();
        match ended {
            Ok(answer) => {
                self.keep(crossing.instance, serving);
                Now::Answer(answer)
            }
            Err(error) => match error.downcast_ref::<NotOnTape>() {
                Some(asked) => Now::Unknown(asked.to_string()),
                None => Now::Failure(self.linked.failure(&error, state)),
            },
        }
    }

    async fn call(
        &self,
        serving: &mut Serving,
        function: &Function,
        parameters: &[Val],
        crossing: &Crossing<'_>,
    ) -> wasmtime::Result<String> {
        let Serving { store, instance, .. } = serving;
        let size: usize = parameters.iter().map(value::size).sum();
        let returned = self.linked.shared.limits.returned().max(2 * size);
        let time = self.time(&crossing.seam, size);
        self.linked.limit(store, time);
        store.set_hostcall_fuel(returned.saturating_mul(AS_VALUES));
        let state = store.data_mut();
        state.returned = returned;
        state.view = View { tape: Some(Box::new(Tape::of(crossing))), ..View::default() };
        let called = instance.get_func(&mut *store, function.index);
        let called = called.ok_or_else(|| wasmtime::format_err!("the function is not there"))?;
        let mut results: Vec<Val> = function.result.iter().map(|_| Val::Bool(false)).collect();
        let waits = self.linked.waits(store);
        let call = called.call_async(&mut *store, parameters, &mut results);
        self.linked.bounded(time, waits, pin!(call)).await?;
        store.data_mut().view = View::default();
        let (Some(ty), Some(answer)) = (&function.result, results.first()) else { return Ok("null".to_owned()) };
        match value::size(answer) > returned {
            true => Err(TooMuch.into()),
            false => Ok(value::json(ty, answer)),
        }
    }

    /// As in life: what it offers has its own time, and a long result more of it.
    fn time(&self, seam: &str, size: usize) -> Duration {
        let limits = &self.linked.shared.limits;
        match seam {
            "tools" | "commands" => limits.tool_time(),
            "tool-result" => limits.time() * u32::try_from(size.div_ceil(PIECE)).unwrap_or(u32::MAX).max(1),
            _ => limits.time(),
        }
    }

    fn keep(&mut self, number: u64, serving: Serving) {
        self.instances.insert(number, serving);
        if self.instances.len() > MOST_INSTANCES {
            self.instances.pop_first();
        }
    }
}

/// What of WASI the call reached that answers otherwise each time.
fn reached<'a>(crossing: &'a Crossing<'_>) -> Option<&'a str> {
    let mut imports = crossing.host.iter().map(|call| &*call.import);
    imports.find(|import| import.starts_with("wasi:"))
}

/// The functions of the seams that a component exports, by seam and name.
fn functions(linked: &Linked, component: &Component) -> HashMap<(String, String), Function> {
    let engine = &linked.engine;
    let mut functions = HashMap::new();
    for (name, export) in component.component_type().exports(engine) {
        let (Some(seam), ComponentItem::ComponentInstance(interface)) = (interface_name(name), export.ty) else {
            continue;
        };
        let Some(seam_index) = component.get_export_index(None, name) else { continue };
        for (function, item) in interface.exports(engine) {
            let ComponentItem::ComponentFunc(ty) = item.ty else { continue };
            let Some(index) = component.get_export_index(Some(&seam_index), function) else { continue };
            let parameters = ty.params().map(|(_, ty)| ty).collect();
            let result = ty.results().next();
            functions.insert((seam.to_owned(), function.to_owned()), Function { index, parameters, result });
        }
    }
    functions
}
