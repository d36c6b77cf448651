//! The arguments of `seam replay`.

use std::path::PathBuf;

use clap::Parser;

/// Ask plugins again what they were asked in a session, and tell what they would decide otherwise now.
///
/// Every call of the journal is made again on fresh instances, with what the plugin was asked and what the host answered
/// then. Nothing else is run: no model, no tool, no request.
#[derive(Debug, Parser)]
#[command(after_help = "\
What is told of a call:
  now refused     the plugin let something pass, and refuses it now
  now allowed     it refused something, and lets it pass now
  changed         it says something else, such as other arguments, another result or another reason
  failed now      it gave an answer then, and fails now
  failed then     it failed then, and gives an answer now
  not comparable  it asks the host now for what it did not ask then, and what it would have got is not known; or what it
                  was asked or said then held a secret, which a journal does not keep

The live updates that a plugin's tool sends while it runs are not compared; its result is.

To try another version of a plugin on what has happened:
  seam replay SESSION --plugin target/new/guard.wasm

Exit codes:
  0  every call ended as it did then
  1  something is different, a plugin of the session is not there (without --plugin), or the output failed
  2  there is nothing to replay: no such session, no journal, a damaged one, no plugin, or settings that are not usable
  3  a plugin cannot be loaded; nothing was replayed")]
pub(crate) struct ReplayArgs {
    /// The session: its id, the beginning of it, its name, or its file
    pub(crate) session: String,
    /// Ask this file in the place of the plugin of the same name
    #[arg(long = "plugin", value_name = "FILE")]
    pub(crate) instead: Vec<PathBuf>,
    /// Take the other plugins from this folder [default: `.seam/plugins` under --cwd, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<PathBuf>,
    /// The workspace of the session
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Read the settings of plugins from this file [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Sessions are below this folder [default: `seam/sessions` in the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// Print each difference as a line of JSON, and a last line that counts
    #[arg(long)]
    pub(crate) json: bool,
}
