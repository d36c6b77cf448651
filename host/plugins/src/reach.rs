//! What a plugin may import: one module per interface.

mod call_tool;
mod complete;
mod config;
mod conversation;
pub(crate) mod exec;
mod full_result;
mod log;
mod messages;
mod models;
mod session;
pub(crate) mod state;
mod tool_updates;
mod ui;

use wasmtime::component::{HasSelf, Linker};

use crate::bindings::seam::harness;
use crate::contract::PACKAGE;
use crate::inspect::Item;
use crate::state::State;
use crate::wasi;

/// No arguments, as they are recorded.
const NONE: [(); 0] = [];

/// Links the interfaces of the contract that are imported.
macro_rules! link {
    ($linker:ident, $imports:ident: $($name:literal => $interface:ident,)+) => {
        $(if $imports.iter().any(|import| is_ours(import, $name)) {
            harness::$interface::add_to_linker::<_, HasSelf<_>>($linker, |state| state)?;
        })+
    };
}

/// Links what the component imports, and nothing else. The loader has checked that all of it is granted.
pub(crate) fn link(linker: &mut Linker<State>, imports: &[Item]) -> wasmtime::Result<()> {
    link! { linker, imports:
        "log" => log,
        "config" => config,
        "conversation" => conversation,
        "full-result" => full_result,
        "tool-updates" => tool_updates,
        "state" => state,
        "messages" => messages,
        "session" => session,
        "models" => models,
        "call-tool" => call_tool,
        "ui" => ui,
        "complete" => complete,
        "exec" => exec,
    }
    let uses =
        |package: &str| imports.iter().any(|import| !import.members.is_empty() && import.name.starts_with(package));
    if uses("wasi:") { wasi::link(linker, uses("wasi:http/")) } else { Ok(()) }
}

fn is_ours(import: &Item, name: &str) -> bool {
    matches!(import.interface(), Some((PACKAGE, interface, _)) if interface == name && !import.members.is_empty())
}
