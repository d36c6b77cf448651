//! The arguments of `seam audit`.

use std::path::PathBuf;

use clap::Parser;

/// Tell what plugins can decide, what they see and where they can send it. Nothing is run.
///
/// It is read from their files, and from what the settings of the workspace grant to plugins of their names, whether you
/// have agreed to that or not. It is the worst they could do: an import that a plugin does not load without counts as if
/// granted, and that is said; an import of WASI that is there in any case, and reaches nothing without its grant, counts
/// only with it.
///
/// With a second path: tell what was gained and lost from the first to the second. Two plugins are compared whatever
/// their names are; in two folders, those of one name. A plugin that is only in NEW is gained whole.
#[derive(Debug, Parser)]
#[command(after_help = "\
What counts as gained is any seam, any import and any function of an import that is new, also an
import that reaches nothing here; an import by which only NEW reaches something, as grants that are
bound to its digest do; and a leak that OLD cannot. What does not count: another version of the same
import, one more function of an import that reaches nothing, and what the settings grant to both.

A rule of --deny is one of
  tool-call                   a seam or an import of the contract, or `seam:harness/tool-call`
  wasi:http/outgoing-handler  any import or export; with `@0.2.4` at its end, only of that version
  wasi:http                   all of a package
  'wasi:http/*'               all whose names begin so; quote it, or the shell may replace it
  http                        a grant, by its key in the settings: any import that needs it, granted
                              or not, but for one of WASI that reaches nothing without
  leak                        a way out: `can leak` says anything but no
It is about PATH, or about NEW. One that fits no grant and nothing in the contract, in WASI 0.2 or
in the files is an error: it is misspelt, and would deny nothing.

For CI:
  seam audit .seam/plugins --deny exec --deny wasi:http --deny leak
  seam audit main/.seam/plugins .seam/plugins

--json prints a list with an object for each plugin; host/plugins/audit.schema.json describes it:
  name, digest (SHA-256), size (bytes), madeWith, ignoredExports
  linkTo          where the file really is, when it was found through a link, or null
  problem         why it would not load, or nothing would run with it, or null
  decides         seam, timing, sees, can (`refuse`, `change`, `offer`, `watch`), power,
                  onFailure (`refuse`, `skip`), ifItFails
  sees            what, by (the seam or import), ifGranted
  sends           to (`network`, `programs`, `tools`, `files`, `calls`, `provider`, `account`,
                  `run`, `model`, `session`, `user`), what, by, leaks, ifGranted
  reaches         import, access (`unknown`, `missing`, `granted`, `always`, `inert`), grant (its
                  key, or null), reaches, functions
  unusedGrants    keys of grants that no import needs
  grantsFor       the digest its grants are bound to, when this file has another one, or null
  canLeak, leak   `yes`, `if-granted`, `unknown` or `no`; what and where to, or why not
  denied          rule, name (the import or export; null for `leak`)
A file that cannot be audited has only `name`, `problem` and `denied`. With NEW there are
  name, denied    as above
  old, new        digest, problem, canLeak, leak; only `problem` when it cannot be audited; null
                  when it is not there
  leaksMore       whether NEW can leak what OLD cannot, or where it cannot
  gained, lost    decides, reaches; nothing when the new file cannot be audited

Exit codes:
  0  every file looks like a plugin (nothing was compiled or started); with NEW: nothing was gained
  1  the output could not be written
  2  a path or the settings cannot be read, a path is a folder without a `*.wasm` file, or is a folder and the other is
     not, or a rule fits nothing
  3  at least one file would not load, or is granted what no run takes (writing where settings and plugins are)
  4  something was gained, or a rule denies something; also when a file would not load")]
pub(crate) struct AuditArgs {
    /// A plugin, or a folder of plugins
    pub(crate) path: PathBuf,
    /// Tell what this plugin, or this folder, gained and lost over the first
    pub(crate) new: Option<PathBuf>,
    /// Fail when a plugin has this: an import, an export, a grant, or `leak`; give it again for another
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// The workspace whose settings say what is granted
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Read settings from this file [default: `seam.toml` under --cwd, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
