//! The arguments of `seam audit`.

use std::path::PathBuf;

use clap::Parser;

/// Tell what plugins can decide, see and reach, from their files alone. Nothing is run.
///
/// With a second path: tell what was gained and lost from the first to the second. Two plugins are compared whatever
/// their names are; in two folders, those of one name. A plugin that is only in NEW is gained whole.
#[derive(Debug, Parser)]
#[command(after_help = "\
What counts as gained is any seam and any import that is new, also an import that reaches nothing
here. Another version of the same import does not count.

A rule of --deny is one of
  tool-call                   a seam or an import of the contract, or `seam:harness/tool-call`
  wasi:http/outgoing-handler  any import or export; with `@0.2.4` at its end, only of that version
  'wasi:http/*'               all whose names begin so; quote it, or the shell may replace it
  leak                        a way out: `can leak` says yes
It is about PATH, or about NEW. One that fits nothing in the contract, in WASI 0.2 or in the files
is a warning.

For CI:
  seam audit .seam/plugins --deny 'wasi:http/*' --deny leak
  seam audit main/.seam/plugins .seam/plugins

--json prints a list with an object for each plugin:
  name, digest (SHA-256), size (bytes), madeWith, ignoredExports
  problem         why it would not load, or null
  decides         seam, timing, sees, can (`refuse`, `change`, `offer`, `watch`), power,
                  onFailure (`refuse`, `skip`), ifItFails
  reaches         import, grant (`always`, `inert`, `missing`), reaches
  canLeak, leak   whether it can; why, or why not
  denied          rule, name (the import or export; null for `leak`)
A file that cannot be audited has only `name`, `problem` and `denied`. With NEW there are
  name, denied    as above
  old, new        digest, problem, canLeak, leak; only `problem` when it cannot be audited; null
                  when it is not there
  gained, lost    decides, reaches; nothing when the new file cannot be audited

Exit codes:
  0  every file looks like a plugin (nothing was compiled or started); with NEW: nothing was gained
  1  the output could not be written
  2  a path cannot be read, is a folder without a `*.wasm` file, or is a folder and the other is not
  3  at least one file would not load
  4  something was gained, or a rule denies something; also when a file would not load")]
pub(crate) struct AuditArgs {
    /// A plugin, or a folder of plugins
    pub(crate) path: PathBuf,
    /// Tell what this plugin, or this folder, gained and lost over the first
    pub(crate) new: Option<PathBuf>,
    /// Fail when a plugin has this: an import or export, or `leak`; give it again for another
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
