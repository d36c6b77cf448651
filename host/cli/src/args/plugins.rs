//! The arguments of `seam plugins`.

use std::path::PathBuf;

use clap::Parser;

use crate::args::lock::PlaceArgs;

/// List the plugins of a workspace in the order in which they are asked: what each may do, and what it has done.
///
/// Calls, failures and times are those of the file that lies there now, in all journals of the workspace; of an older
/// file with the same name nothing is counted. State is what a plugin keeps in the newest session.
#[derive(Debug, Parser)]
#[command(after_help = "\
--json prints an object:
  folder      the folder, or null
  sessions    how many sessions of the workspace have a journal
  plugins     in order, for each
    name, file, digest (SHA-256)
    mode      `active`, or `shadow`: it is asked, and changes nothing
    grants    as in `seam.toml`
    stateBytes
    calls, failures, p50Us, p99Us     over all seams; times in microseconds, null without a call
    seams     for each export of the contract: seam, calls, failures, p50Us, p99Us
  notLoaded   for each: name, file, problem

Exit codes:
  0  every plugin of the folder is loaded
  1  the output could not be written
  2  arguments, settings or files cannot be used
  3  a plugin of the folder is not loaded, or nothing would run")]
pub(crate) struct PluginsArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Sessions are below this folder [default: `seam/sessions` in the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
