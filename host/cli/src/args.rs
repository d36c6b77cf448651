//! The command line.

mod audit;
mod doctor;
mod journal;
mod lock;
mod model;
mod models;
mod plugins;
mod replay;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use audit::AuditArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use journal::{JournalArgs, JournalCommand};
pub(crate) use lock::{LockArgs, TrustArgs};
pub(crate) use model::ModelArgs;
pub(crate) use models::ModelsArgs;
pub(crate) use plugins::PluginsArgs;
pub(crate) use replay::ReplayArgs;

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
    Models(ModelsArgs),
    Doctor(DoctorArgs),
    Plugins(PluginsArgs),
    Audit(AuditArgs),
    Lock(LockArgs),
    Trust(TrustArgs),
    Journal(JournalArgs),
    Replay(ReplayArgs),
    Session(SessionArgs),
}

/// Let a model work on a prompt, with tools, under the eyes of plugins.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0    done (also when plugins refused tool calls)
  1    the run ended with an error of the model or its provider, or the output or the session could not be written
  2    arguments, settings or files cannot be used, or the session is locked, damaged or not there
  3    a plugin cannot be loaded, is not as it was locked, or you have not agreed to what the settings ask; nothing was run
  130  aborted: Ctrl-C, SIGTERM or SIGHUP; a second one ends it at once
Of several prompts, that of the first that did not end well. Where they are typed, Ctrl-C ends the run and not the session.

Environment:
  NO_COLOR         set it to get no colours
  XDG_STATE_HOME   the state folder: sessions are in `seam/sessions` there
  XDG_CONFIG_HOME  the folder of settings: yours for all projects are in `seam/seam.toml` there
  SEAM_LOG         what to log to stderr, such as `debug` or `seam::plugin=info` [default: warn]
  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...
                   the keys of providers; `seam doctor` tells which are there. Shell commands do not get them
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                   the way to providers
  SEAM_OUTER_RUNS  set by a run for its shell commands: its plugins are in force in the runs they start")]
pub(crate) struct RunArgs {
    /// What the model should do; or `!COMMAND`, a shell command that plugins judge; or a plugin's `/COMMAND`. Without it,
    /// standard input holds prompts, one a line, each for a run in the same session
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Load every `*.wasm` of this folder [default: `.seam/plugins` under --cwd, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<PathBuf>,
    /// The workspace: the folder the tools work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Read settings from this file, over your own [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Run only if the plugins are as `seam.lock` beside the settings has them: same files, grants and settings
    #[arg(long)]
    pub(crate) locked: bool,
    /// Print every agent event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on with the newest session of this workspace
    #[arg(long = "continue", conflicts_with_all = ["session", "no_session"])]
    pub(crate) go_on: bool,
    /// Go on with this session of this workspace: its id, the beginning of its id, its name, or its file
    #[arg(long, value_name = "ID|FILE", conflicts_with = "no_session")]
    pub(crate) session: Option<String>,
    /// Keep sessions below this folder [default: `seam/sessions` in the user's state folder, such as ~/.local/state]
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// Keep no session: what is said is gone when the run ends
    #[arg(long)]
    pub(crate) no_session: bool,
}

/// Look at the sessions of a workspace, name them, fork them, make them shorter, move in them.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0    done
  1    a plugin cancelled it, the model gave no summary, or the output could not be written
  2    there is no such session or entry, more than one is meant, or the file cannot be read or written
  3    a plugin cannot be loaded, is not as it was locked, or you have not agreed to what the settings ask; nothing was done
  130  aborted: Ctrl-C, SIGTERM or SIGHUP

`fork`, `compact` and `go` load the plugins of the workspace and ask them. The others load none.")]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    pub(crate) command: SessionCommand,
    /// The workspace
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    pub(crate) cwd: PathBuf,
    /// Sessions are below this folder [default: `seam/sessions` in the user's state folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) session_dir: Option<PathBuf>,
}

/// Which plugins are asked, and under which settings.
#[derive(Debug, Parser)]
pub(crate) struct AsksArgs {
    /// Load every `*.wasm` of this folder [default: `.seam/plugins` under --cwd, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<PathBuf>,
    /// Read settings from this file, over your own [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Do it only if the plugins are as `seam.lock` beside the settings has them: same files, grants and settings
    #[arg(long)]
    pub(crate) locked: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the sessions of the workspace, the newest first. Times are UTC
    Ls {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what was said, from the first entry to where the session goes on
    Show {
        /// Its id, the beginning of it, its name, or its file
        session: String,
        /// Print JSON: the entries as they stand in the file
        #[arg(long)]
        json: bool,
    },
    /// Show all entries of all branches
    Tree {
        /// Its id, the beginning of it, its name, or its file
        session: String,
    },
    /// Write the session and its journal as a page for a browser: what was said, and who decided what, when, how long
    Export(ExportArgs),
    /// Make a new session of this workspace from one, which stays as it is
    Fork {
        /// Its id, the beginning of it, its name, or its file
        session: String,
        /// Keep only what leads to this entry, and the entry
        #[arg(long, value_name = "ENTRY", conflicts_with = "before")]
        at: Option<String>,
        /// Keep only what leads to this message of yours, to say something else there
        #[arg(long, value_name = "ENTRY")]
        before: Option<String>,
        #[command(flatten)]
        asks: AsksArgs,
    },
    /// Make a session shorter: a summary takes the place of everything that is not recent
    Compact {
        /// Its id, the beginning of it, its name, or its file
        session: String,
        /// What the summary should hold
        #[arg(long, value_name = "TEXT")]
        focus: Option<String>,
        #[command(flatten)]
        model: ModelArgs,
        #[command(flatten)]
        asks: AsksArgs,
    },
    /// Go back to an entry, or over to another branch: the session goes on from there
    Go {
        /// The session's id, the beginning of it, its name, or its file
        session: String,
        /// The entry's id, the beginning of it, or its label. At a message of yours it goes before it, and prints what you said
        entry: String,
        /// Let the model summarise the branch that is left, for the one that goes on; say what it should hold, if you like
        #[arg(long, value_name = "FOCUS", require_equals = true)]
        summary: Option<Option<String>>,
        /// Give the summary a label, or the entry when there is no summary
        #[arg(long, value_name = "TEXT")]
        label: Option<String>,
        #[command(flatten)]
        model: ModelArgs,
        #[command(flatten)]
        asks: AsksArgs,
    },
    /// Give an entry a label; without one, take it away
    Label {
        /// The session's id, the beginning of it, its name, or its file
        session: String,
        /// The entry's id, the beginning of it, or its label
        entry: String,
        /// The label
        label: Option<String>,
    },
    /// Give a session a name; an empty one takes it away
    Name {
        /// Its id, the beginning of it, its name, or its file
        session: String,
        /// The name
        name: String,
    },
}

/// What is exported, and where to.
#[derive(Debug, Parser)]
pub(crate) struct ExportArgs {
    /// Its id, the beginning of it, its name, or its file
    pub(crate) session: String,
    /// Write one HTML file that needs nothing else, and no network
    #[arg(long)]
    pub(crate) html: bool,
    /// Write it there; `-` is stdout [default: the session's id and `.html`, in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
}
