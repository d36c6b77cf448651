//! The arguments of `seam journal`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Show who decided what in a session: plugins, the host's rules, the user. `verify` tells whether it was changed since.
///
/// A row has the number of the line, the time (UTC), who was asked, at which seam, what they said, how long it took, and what
/// it was about. What is long is cut; `--json` has all of it.
#[derive(Debug, Parser)]
#[command(
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    override_usage = "seam journal [OPTIONS] <SESSION>\n       seam journal verify [OPTIONS] <SESSION>",
    after_help = "\
Exit codes:
  0  done; for `verify`: every line is as it was written, and none is missing
  1  the output could not be written; for `verify`: a line was changed, removed or moved
  2  there is no such session, more than one is meant, it has no journal, or the journal cannot be read"
)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    pub(crate) command: Option<JournalCommand>,
    /// The session: its id, the beginning of it, its name, or its file
    #[arg(required = true)]
    pub(crate) session: Option<String>,
    /// Print each line as JSON, with long values in their places
    #[arg(long)]
    pub(crate) json: bool,
    /// Only what this plugin was asked
    #[arg(long, value_name = "NAME")]
    pub(crate) plugin: Option<String>,
    /// Only what was decided at this seam
    #[arg(long, value_name = "NAME")]
    pub(crate) seam: Option<String>,
    /// Only what is about the tool call with this id, or whose id begins so
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
    /// The workspace of the session
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    pub(crate) cwd: PathBuf,
    /// Sessions are below this folder [default: `seam/sessions` in the user's state folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) session_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// Tell whether every line is as it was written, and none is missing
    Verify {
        /// The session: its id, the beginning of it, its name, or its file
        session: String,
    },
}
