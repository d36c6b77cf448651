//! `seam audit`.

mod json;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use seam_plugins::audit::{Given, Pair, Rule};
use seam_plugins::{Audit, Grants, LoadError, LoadProblem, load};

use crate::args::AuditArgs;
use crate::commands::run::granted;
use crate::config::Config;
use crate::exit::Exit;
use crate::terminal::output::Output;
use crate::terminal::style::one_line;
use crate::terminal::{audit_difference, audit_table};

/// How much of a rule is shown.
const SHOWN: usize = 200;

/// An audited file, or why it cannot be audited.
type Audited = Result<Audit, LoadError>;

/// Where plugins are to be, and its settings.
struct Workspace<'a> {
    cwd: &'a Path,
    config: &'a Config,
}

/// What is printed and what it comes to.
struct Report {
    text: String,
    loads: bool,
    found: bool,
}

pub(crate) fn audit(args: &AuditArgs) -> Result<Exit> {
    let rules: Vec<Rule> = args.deny.iter().map(|rule| Rule::new(rule)).collect();
    let config = Config::read(args.config.as_deref(), &args.cwd)?;
    let workspace = Workspace { cwd: &args.cwd, config: &config };
    let report = match &args.new {
        None => look_at(&args.path, &workspace, &rules, args.json)?,
        Some(new) => compare([&args.path, new], &workspace, &rules, args.json)?,
    };
    let output = Output::default();
    output.print(&format!("{}\n", report.text.trim_end()));
    Ok(match report {
        _ if output.has_failed() => Exit::RunFailed,
        Report { found: true, .. } => Exit::Found,
        Report { loads: false, .. } => Exit::PluginFault,
        Report { .. } => Exit::Done,
    })
}

fn look_at(path: &Path, workspace: &Workspace<'_>, rules: &[Rule], json: bool) -> Result<Report> {
    let audits = workspace.audits(path, None)?;
    check(rules, &audits)?;
    Ok(Report {
        text: if json {
            json::plugins(&audits, rules)?
        } else {
            audit_table::render(&audits, rules) + &settings(workspace.config, &audits)
        },
        loads: audits.iter().all(loads),
        found: audits.iter().any(|audit| is_denied(audit, rules)),
    })
}

fn compare(paths: [&Path; 2], workspace: &Workspace<'_>, rules: &[Rule], json: bool) -> Result<Report> {
    let pairs = pairs(paths, workspace)?;
    let sides = || pairs.iter().flat_map(|pair| pair.old.iter().chain(&pair.new));
    check(rules, sides())?;
    let gained = pairs.iter().any(|pair| !pair.difference().gained.is_empty() || pair.leaks_more());
    Ok(Report {
        text: if json { json::pairs(&pairs, rules)? } else { audit_difference::render(&pairs, rules) },
        loads: sides().all(loads),
        found: gained || pairs.iter().filter_map(|pair| pair.new.as_ref()).any(|new| is_denied(new, rules)),
    })
}

fn pairs([old, new]: [&Path; 2], workspace: &Workspace<'_>) -> Result<Vec<Pair>> {
    match (is_folder(old)?, is_folder(new)?) {
        (true, true) => Ok(Pair::by_name(workspace.audits(old, None)?, workspace.audits(new, None)?)),
        (false, false) => {
            // The new one takes the place of the old one: both under what is granted to it.
            let name = load::plugin_name(new);
            let (old, new) = (workspace.audits(old, Some(&name))?, workspace.audits(new, Some(&name))?);
            Ok(old.into_iter().zip(new).map(|(old, new)| Pair::of(old, new)).collect())
        }
        (true, false) => {
            bail!("{} is a folder and {} is not; give two plugins, or two folders", old.display(), new.display())
        }
        (false, true) => {
            bail!("{} is a folder and {} is not; give two plugins, or two folders", new.display(), old.display())
        }
    }
}

impl Workspace<'_> {
    /// Audits a file or a folder, under the settings for plugins of their names, or of this one.
    fn audits(&self, path: &Path, name: Option<&str>) -> Result<Vec<Audited>> {
        let files = files(path)?;
        let protected = granted::places(self.cwd, self.config, is_folder(path)?.then_some(path));
        let audit = |file: PathBuf| {
            let grants = self.config.settings(name.unwrap_or(&load::plugin_name(&file))).grants;
            self.audit(&file, &grants, &protected).map_err(|problem| LoadError { file, problem })
        };
        Ok(files.into_iter().map(audit).collect())
    }

    /// A grant that no run takes is a problem as one that is missing is.
    fn audit(&self, file: &Path, grants: &Grants, protected: &[PathBuf]) -> Result<Audit, LoadProblem> {
        let outside = &self.config.workspace.outside;
        let mut audit = Audit::of_file(file, Given { grants, outside })?;
        let refused = granted::refused(grants, protected).filter(|_| audit.grants_for.is_none());
        audit.problem = audit.problem.or_else(|| Some(format!("it {}; {}", refused?, granted::REMEDY)));
        Ok(audit)
    }
}

/// Where the grants stand, if any plugin has some.
fn settings(config: &Config, audits: &[Audited]) -> String {
    let files: Vec<&Path> = config.origin.read.iter().map(|(file, _)| file.as_path()).collect();
    let is_granted = audits.iter().flatten().any(Audit::has_grants);
    if is_granted { audit_table::settings(&files) } else { String::new() }
}

fn is_folder(path: &Path) -> Result<bool> {
    let metadata = std::fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(metadata.is_dir())
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !is_folder(path)? {
        return Ok(vec![path.to_owned()]);
    }
    let files = load::wasm_files(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if files.is_empty() {
        bail!("no `*.wasm` in {}; nothing was audited", path.display());
    }
    Ok(files)
}

fn loads(audit: &Audited) -> bool {
    audit.as_ref().is_ok_and(|audit| audit.problem.is_none())
}

fn is_denied(audit: &Audited, rules: &[Rule]) -> bool {
    audit.as_ref().is_ok_and(|audit| rules.iter().any(|rule| !rule.denied(audit).is_empty()))
}

/// A rule that is about nothing is misspelt: it would be kept by anything.
fn check<'a>(rules: &[Rule], audits: impl IntoIterator<Item = &'a Audited>) -> Result<()> {
    let audits: Vec<&Audit> = audits.into_iter().filter_map(|audit| audit.as_ref().ok()).collect();
    let unknown: Vec<String> = rules
        .iter()
        .filter(|rule| !rule.is_known(audits.iter().copied()))
        .map(|rule| format!("`{}`", one_line(rule.text(), SHOWN)))
        .collect();
    ensure!(
        unknown.is_empty(),
        "--deny {} would deny nothing: no grant and nothing in the contract, in WASI 0.2 or in these files is called so; \
         check the spelling (a `*` stands only at its end), or leave it out",
        unknown.join(" and --deny ")
    );
    Ok(())
}
