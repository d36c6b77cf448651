//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// An agent host whose every decision point is a typed interface for sandboxed plugins.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Audit(AuditArgs),
}

/// Let a model work on a prompt, with tools, under the eyes of plugins.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0    done (also when plugins refused tool calls)
  1    the run ended with an error of the model or its provider, or the output could not be written
  2    arguments, settings or files cannot be used
  3    a plugin cannot be loaded; nothing was run
  130  aborted: Ctrl-C, SIGTERM or SIGHUP; a second one ends it at once

Environment:
  NO_COLOR         set it to get no colours
  SEAM_LOG         what to log to stderr, such as `debug` or `seam::plugin=info` [default: warn]
  SEAM_OUTER_RUNS  set by a run for its shell commands: its plugins are in force in the runs they start")]
pub(crate) struct RunArgs {
    /// What the model should do; or `!COMMAND`, a shell command that plugins judge; or a plugin's `/COMMAND`
    pub(crate) prompt: String,
    /// Play the model from this JSON file (its `turns`) instead of asking a real one
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Load every `*.wasm` of this folder [default: `.seam/plugins` under --cwd, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<PathBuf>,
    /// The workspace: the folder the tools work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Read settings from this file [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print every agent event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Tell what plugins can decide, see and reach, from their files alone. Nothing is run.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0  every file looks like a plugin (nothing was compiled or started)
  1  the output could not be written
  2  the path cannot be read, or is a folder without a `*.wasm` file
  3  at least one file would not load")]
pub(crate) struct AuditArgs {
    /// A plugin, or a folder of plugins
    pub(crate) path: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
