//! The arguments of `seam lock` and `seam trust`.

use std::path::PathBuf;

use clap::Parser;

/// Which plugins are meant, and under which settings.
#[derive(Debug, Parser)]
pub(crate) struct PlaceArgs {
    /// The workspace
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// The folder of plugins [default: `.seam/plugins` under --cwd, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) plugins: Option<PathBuf>,
    /// Read settings from this file, over your own [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Approve the plugins as they are: write `seam.lock`, and tell what they gained and lost since it was written last.
///
/// It lies beside the settings and holds of each plugin its digest, its exports, its imports, its grants and a digest of
/// its settings. With `--locked`, or with `locked = true` in `seam.toml`, anything else does not run; without it, it is
/// told.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0  done
  1  the output could not be written
  2  arguments, settings or files cannot be used
  3  a plugin cannot be loaded, or you have not agreed to what the settings ask for; nothing was written")]
pub(crate) struct LockArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Agree to what a project's settings ask for: tell what it is, ask you, and write it down in your state folder.
///
/// A project's own `seam.toml` may set up its own plugins. What goes beyond needs your agreement: grants, anything for a
/// plugin that is granted something, folders outside the workspace, limits above the defaults, a smaller journal, settings
/// for plugins of a folder that is not the project's, and anything that you set otherwise in your own `seam.toml`. It is
/// for this file as it is, for the plugins that are granted something as they are, and for where folders lead: when any of
/// it changes, you are asked again. A file that you name with `--config` is your own word, and so is what your own
/// `seam.toml` grants to a `digest`.
#[derive(Debug, Parser)]
#[command(after_help = "\
It is written to `seam/trusted` in the state folder, such as ~/.local/state: a line for each project.
To take it back, delete the line.

Exit codes:
  0  agreed, or there is nothing to agree to
  1  the output could not be written, and nothing was agreed to
  2  arguments, settings or files cannot be used, or a run of Seam started this
  3  you did not agree: where nobody can be asked, `--yes` says that you do")]
pub(crate) struct TrustArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Agree without being asked
    #[arg(long)]
    pub(crate) yes: bool,
}
