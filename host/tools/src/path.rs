//! Paths: from what a model wrote to a handle on what it means.
//!
//! [`Workspace`] holds the folders that tools may work in, each with a handle that was opened once. `canonical` turns a
//! text into a canonical path. `resolve` walks from a held folder to that path, name by name, following no link, and
//! gives a handle and the [`Target`](seam_loop::Target) that gates are shown.

mod canonical;
mod describe;
mod handle;
mod kept;
mod locks;
mod resolve;
#[cfg(test)]
mod tests;
mod workspace;

pub use canonical::CanonicalPath;
pub use workspace::{Workspace, WorkspaceError};

pub(crate) use describe::reason;
pub(crate) use handle::{Folder, Opened, Place, open_file};
pub(crate) use resolve::Resolved;
