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
/// It lies beside the settings and holds of each plugin its digest, its exports, its imports and its grants. With
/// `--locked`, or with `locked = true` in `seam.toml`, anything else does not run; without it, it is told.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0  done
  1  the output could not be written
  2  arguments, settings or files cannot be used
  3  a plugin cannot be loaded, or you have not agreed to what it is granted; nothing was written")]
pub(crate) struct LockArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Agree to what a project grants its own plugins: tell what it is, and write it down in your state folder.
///
/// What a project's own `seam.toml` grants holds only then: a project that somebody else wrote could grant itself
/// anything. It holds for these grants and these files; when either changes, you are asked again. No agreement is needed
/// for what you grant yourself: in a file that you name with `--config`, or in your own `seam.toml` with the `digest` of the
/// plugin's file.
#[derive(Debug, Parser)]
#[command(after_help = "\
It is written to `seam/trusted` in the state folder, such as ~/.local/state: a line for each project.
To take it back, delete the line.

Exit codes:
  0  done
  1  the output could not be written, and nothing was agreed to
  2  arguments, settings or files cannot be used")]
pub(crate) struct TrustArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}
