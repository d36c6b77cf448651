//! The arguments of `seam models`.

use std::path::PathBuf;

use clap::Parser;

/// List the models that are known and those of the settings: how much each reads and writes, how it thinks, what it
/// costs, and whether there is a key for its provider. Nobody is asked, and no command is run.
///
/// A model that is not listed works too: `--model PROVIDER/NAME`. What it can do is said under
/// `[providers.PROVIDER.models."NAME"]` in `seam.toml`.
#[derive(Debug, Parser)]
#[command(after_help = "\
The columns:
  window, output   how many tokens it reads and writes at once, and how many of them an answer has at most
  in, out, cached  US dollars for a million tokens that it reads, writes, and reads from its cache; - if not known
  img              whether it sees pictures
  thinking         the levels that can be asked for behind its name, such as `:high`

--json prints a list with an object for each model:
  model            `provider/name`, as `--model` takes it
  provider, name
  window, output   in tokens
  images           whether it sees pictures
  thinking         the levels
  cost             input, output, cacheRead, cacheWrite: US dollars for a million tokens; or null
  key              `variable`: keyFrom is set; `command`: keyFrom would be run; `missing`; `not-needed`
  keyFrom          the variable or the program, or null
  chosen           whether it is the `model` of the settings

Exit codes:
  0  done
  1  no model is as it says, or the output could not be written
  2  arguments, settings or files cannot be used")]
pub(crate) struct ModelsArgs {
    /// Only those whose `provider/name` has all of these words in it; with a `*`, those that are as it says
    #[arg(value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The workspace
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Read settings from this file, over your own [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}
