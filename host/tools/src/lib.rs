//! The file and shell tools: `read`, `write`, `edit`, `bash`, `grep`, `find`, `ls`.
//!
//! A call has two steps. [`Tool::resolve`] looks each path up once and takes handles to what it finds; it has no effect.
//! The gates are then shown the canonical path of exactly that. [`ResolvedTool::run`](seam_loop::tool::ResolvedTool)
//! works on the handles, so a folder that is swapped for a link while a gate thinks cannot redirect the call.
//!
//! # Architecture invariants
//!
//! - A file tool's body never looks a path up by name: it opens single names below a held folder, and never follows a
//!   link. `bash` is the exception by nature: a command may touch whatever the user may.
//! - What lies outside the workspace gets no handle, unless the user allowed its folder.
//! - A path that cannot be resolved is shown as such, and its body fails. The text of a path is never opened instead.
//! - `resolve` has no effect: it creates nothing, and opens neither pipes nor devices.
//! - Once an abort was reported, or a body was dropped, nothing is written: what is put into a file is computed first, and
//!   the last thing before the write is a look at the token.
//! - What is kept of long output lies in a folder of its own, which file tools only read. It is written after the
//!   patches, and holds nothing that they did not let through.
//! - This crate uses no network and knows no plugin, gate or session.
//! - Blocking work never runs on the executor's threads.
//!
//! Unix only.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use std::sync::Arc;

use seam_loop::Tool;

pub mod path;

mod bash;
mod blocking;
mod define;
mod edit;
mod find;
mod grep;
mod limits;
mod ls;
mod number;
mod output;
mod read;
mod replace;
#[cfg(test)]
mod testing;
mod walk;
mod write;

pub use path::{CanonicalPath, Workspace, WorkspaceError};

/// All seven tools, on one workspace.
pub fn tools(workspace: &Arc<Workspace>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(read::Read::new(workspace)),
        Arc::new(write::Write::new(workspace)),
        Arc::new(edit::Edit::new(workspace)),
        Arc::new(bash::Bash::new(workspace)),
        Arc::new(grep::Grep::new(workspace)),
        Arc::new(find::Find::new(workspace)),
        Arc::new(ls::Ls::new(workspace)),
    ]
}

#[cfg(test)]
mod tests {
    use seam_loop::arguments::ArgumentSchema;

    use crate::testing::Fixture;

    #[test]
    fn seven_tools_with_schemas_that_compile() {
        let fixture = Fixture::new();
        let tools = super::tools(&fixture.workspace);
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.definition().name).collect();
        assert_eq!(names, ["read", "write", "edit", "bash", "grep", "find", "ls"]);
        for tool in &tools {
            ArgumentSchema::compile(&tool.definition().parameters).unwrap();
        }
    }
}
