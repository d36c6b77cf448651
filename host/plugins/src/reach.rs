//! What a plugin may import: one module per interface.

mod config;
mod conversation;
mod full_result;
mod log;
mod tool_updates;

use wasmtime::component::{HasSelf, Linker};

use crate::bindings::seam::harness;
use crate::contract::PACKAGE;
use crate::inspect::Item;
use crate::state::State;

/// No arguments, as they are recorded.
const NONE: [(); 0] = [];

/// Links what the component imports, and nothing else. The loader has checked that all of it is granted.
pub(crate) fn link(linker: &mut Linker<State>, imports: &[Item]) -> wasmtime::Result<()> {
    let mut wasi = false;
    for import in imports.iter().filter(|import| !import.members.is_empty()) {
        match import.interface() {
            Some((PACKAGE, "log", _)) => harness::log::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?,
            Some((PACKAGE, "config", _)) => harness::config::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?,
            Some((PACKAGE, "conversation", _)) => {
                harness::conversation::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
            }
            Some((PACKAGE, "tool-updates", _)) => {
                harness::tool_updates::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
            }
            Some((PACKAGE, "full-result", _)) => {
                harness::full_result::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
            }
            _ => wasi = true,
        }
    }
    if wasi { wasmtime_wasi::p2::add_to_linker_async(linker) } else { Ok(()) }
}
