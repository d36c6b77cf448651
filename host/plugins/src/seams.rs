//! The seams: one module each.

mod rewrite_tool_call;
mod tool_call;
mod tool_result;

pub(crate) use rewrite_tool_call::RewriteToolCallHook;
pub(crate) use tool_call::ToolCallHook;
pub(crate) use tool_result::ToolResultHook;

use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use crate::bindings::exports::seam::harness;
use crate::contract::PACKAGE;
use crate::inspect::Item;
use crate::load::LoadProblem;
use crate::state::State;

macro_rules! seams {
    ($($seam:ident = $name:literal;)+) => {
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
    rewrite_tool_call = "rewrite-tool-call";
    tool_call = "tool-call";
    tool_result = "tool-result";
}

fn is_exported(exports: &[Item], seam: &str) -> bool {
    exports.iter().any(|export| matches!(export.interface(), Some((PACKAGE, interface, _)) if interface == seam))
}

fn wrong_type(seam: &'static str, error: &wasmtime::Error) -> LoadProblem {
    LoadProblem::WrongType { seam, reason: format!("{error:#}") }
}

/// A seam was asked that the plugin does not export. Only connected seams are asked, so this does not happen.
fn absent() -> seam_harness::Failure {
    seam_harness::Failure::CouldNotStart
}
