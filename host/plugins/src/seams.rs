//! The seams: one module each. A new one is a module here and its line in the list.

use std::sync::Arc;

use seam_harness::{Event, Failure, Hook, HookBus, Moment};
use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use crate::bindings::exports::seam::harness;
use crate::contract::{PACKAGE, seam};
use crate::inspect::Item;
use crate::instance::Instances;
use crate::link::Plugin;
use crate::load::LoadProblem;
use crate::state::State;
use crate::watching::Watching;

/// Calls a function of a plugin in one of its instances, within its limits, and records it. What may come back besides
/// the limit is given in bytes. `of` is the id of the tool call it is about; `update` the tool, if this is about a live
/// update of it.
macro_rules! ask {
    ($instances:expr, $seam:ident.$function:ident($($event:expr)?) $(update $tool:ident)? $(of $call:expr)?, at $at:expr,
     returning $returned:expr) => {
        ask!($instances, $seam.$function($($event)?) $(update $tool)? $(of $call)?, at $at, returning $returned, within time, with |_| {})
    };
    ($instances:expr, $seam:ident.$function:ident($($event:expr)?) $(update $tool:ident)? $(of $call:expr)?, at $at:expr,
     returning $returned:expr, within $time:ident $(times $factor:expr)?, with $view:expr) => {{
        let instances: &$crate::instance::Instances = $instances;
        let time = instances.linked.shared.limits.$time() $(* $factor)?;
        let (call, update): (Option<&str>, Option<&str>) = (ask!(@call $($call)?), ask!(@call $($tool)?));
        let crossing = match &instances.recorder {
            Some(recorder) => {
                let (seam, function) = (stringify!($seam), stringify!($function));
                Some(recorder.crossing(seam, function, call, update, &ask!(@parameters $($event)?))?)
            }
            None => None,
        };
        let mut lease = instances.lend($at, $returned, time, crossing).await?;
        let prepare: &(dyn Fn(&mut $crate::state::View) + Sync) = &$view;
        prepare(&mut lease.warm.store.data_mut().view);
        let waits = instances.linked.waits(&lease.warm.store);
        let guest = lease.warm.guests.$seam.as_ref().ok_or_else($crate::seams::absent)?;
        let call = guest.$function(&mut lease.warm.store $(, $event)?);
        let answer = instances.linked.bounded(time, waits, std::pin::pin!(call)).await;
        instances.settle(lease, answer)
    }};
    (@call) => { None };
    (@call $call:expr) => { $call };
    (@parameters) => { [(); 0] };
    (@parameters $event:expr) => { [&$event] };
}

macro_rules! seams {
    (hooks { $($hook:ident = $hook_name:literal;)+ }
     observers { $($observer:ident = $observer_name:literal;)+ }
     provided { $($provided:ident = $provided_name:literal;)+ }) => {
        $(mod $hook;)+
        $(mod $observer;)+
        $(pub(crate) mod $provided;)+

        seams!(@all $($hook = $hook_name;)+ $($observer = $observer_name;)+ $($provided = $provided_name;)+);

        /// Puts a plugin's hooks into the bus.
        pub(crate) fn connect(plugin: &Plugin, instances: &Arc<Instances>, bus: &mut HookBus) {
            let indices = &plugin.linked.indices;
            $(if indices.$hook.is_some() {
                bus.$hook.push(hook(plugin, $hook_name, Arc::new($hook::Asked(Arc::clone(instances)))));
            })+
            let mut watched = Vec::new();
            $(if indices.$observer.is_some() {
                watched.push($observer_name);
            })+
            if !watched.is_empty() {
                let observer = Watching { instances: Arc::clone(instances), watched };
                bus.observers.push((Arc::clone(&plugin.linked.shared.name), Arc::new(observer)));
            }
        }

        /// Gives an event to the observer seam it belongs to.
        pub(crate) async fn observe(instances: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
            match event.seam() {
                $(Some($observer_name) => $observer::observe(instances, event, at).await,)+
                _ => Ok(()),
            }
        }
    };
    (@all $($seam:ident = $name:literal;)+) => {
        /// Where a component keeps the functions of each seam it exports.
        pub(crate) struct Indices { $(pub(crate) $seam: Option<harness::$seam::GuestIndices>,)+ }

        /// The functions of each seam an instance exports.
        pub(crate) struct Guests { $(pub(crate) $seam: Option<harness::$seam::Guest>,)+ }

        impl Indices {
            /// Finds them from the component's type.
            pub(crate) fn find(pre: &InstancePre<State>, exports: &[Item]) -> Result<Self, LoadProblem> {
                Ok(Self { $($seam: match is_exported(exports, $name) {
                    true => Some(harness::$seam::GuestIndices::new(pre).map_err(|error| wrong_type($name, &error))?),
                    false => None,
                },)+ })
            }

            /// Finds them in an instance, and checks their types.
            pub(crate) fn load(&self, store: &mut Store<State>, instance: &Instance) -> Result<Guests, LoadProblem> {
                Ok(Guests { $($seam: match &self.$seam {
                    Some(indices) => {
                        let guest = indices.load(&mut *store, instance);
                        Some(guest.map_err(|error| wrong_type($name, &error))?)
                    }
                    None => None,
                },)+ })
            }
        }
    };
}

seams! {
    hooks {
        input = "input";
        before_agent_start = "before-agent-start";
        prepare_request = "prepare-request";
        transform_context = "transform-context";
        convert_to_llm = "convert-to-llm";
        get_api_key = "get-api-key";
        before_provider_request = "before-provider-request";
        before_provider_payload = "before-provider-payload";
        rewrite_tool_call = "rewrite-tool-call";
        tool_call = "tool-call";
        tool_result = "tool-result";
        finish_turn = "finish-turn";
        prepare_next_turn = "prepare-next-turn";
        session_before_switch = "session-before-switch";
        session_before_fork = "session-before-fork";
        session_before_compact = "session-before-compact";
        session_before_tree = "session-before-tree";
        resources_discover = "resources-discover";
    }
    observers {
        after_provider_response = "after-provider-response";
        agent_start = "agent-start";
        agent_end = "agent-end";
        turn_start = "turn-start";
        turn_end = "turn-end";
        message_start = "message-start";
        message_update = "message-update";
        message_end = "message-end";
        tool_execution_start = "tool-execution-start";
        tool_execution_update = "tool-execution-update";
        tool_execution_end = "tool-execution-end";
        session_start = "session-start";
        session_shutdown = "session-shutdown";
        session_compact = "session-compact";
        session_tree = "session-tree";
        model_select = "model-select";
        thinking_level_select = "thinking-level-select";
        tools_update = "tools-update";
        resources_update = "resources-update";
        queue_update = "queue-update";
        save_point = "save-point";
        abort = "abort";
        settled = "settled";
    }
    provided {
        tools = "tools";
        commands = "commands";
    }
}

fn hook<S: ?Sized>(plugin: &Plugin, name: &str, asked: Arc<S>) -> Hook<S> {
    let on_failure = seam(name).map(|seam| plugin.on_failure().at(seam)).unwrap_or_default();
    Hook { plugin: Arc::clone(&plugin.linked.shared.name), on_failure, shadow: plugin.is_shadow(), seam: asked }
}

fn is_exported(exports: &[Item], seam: &str) -> bool {
    exports.iter().any(|export| matches!(export.interface(), Some((PACKAGE, interface, _)) if interface == seam))
}

fn wrong_type(seam: &'static str, error: &wasmtime::Error) -> LoadProblem {
    LoadProblem::WrongType { seam, reason: format!("{error:#}") }
}

/// A seam was asked that the plugin does not export. Only connected seams are asked, so this does not happen.
fn absent() -> Failure {
    Failure::CouldNotStart
}
