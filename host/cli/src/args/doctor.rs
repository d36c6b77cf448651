//! The arguments of `seam doctor`.

use clap::Parser;

use crate::args::lock::PlaceArgs;

/// Look whether everything is there that a run needs, and say what to do about what is not.
///
/// Each line is `ok`, a `note` that no run fails for, or a `FAULT`. A service is asked for the list of its models, with
/// your key, if there is a key: that costs nothing. What is wrong with a provider that the settings did not choose as
/// `model` is a note. Keys are never shown. While the settings ask for something that you have not agreed to
/// (`seam trust`), no service is asked and no `key-command` is run.
#[derive(Debug, Parser)]
#[command(after_help = "\
--json prints a list with an object for each line:
  mark    `ok`, `note` or `fault`
  check   what was looked at
  found   what was found
  remedy  what to do about it, or null

Exit codes:
  0  no fault
  1  a fault, or the output could not be written
  2  arguments cannot be used")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Ask no service
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
