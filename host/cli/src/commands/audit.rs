//! `seam audit`.

mod json;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use seam_plugins::audit::{Pair, Rule};
use seam_plugins::{Audit, Grants, LoadError, load};

use crate::args::AuditArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::terminal::output::{Output, complain};
use crate::terminal::style::one_line;
use crate::terminal::{audit_difference, audit_table};

/// How much of a rule is shown.
const SHOWN: usize = 200;

/// An audited file, or why it cannot be audited.
type Audited = Result<Audit, LoadError>;

/// What is printed and what it comes to.
struct Report {
    text: String,
    loads: bool,
    found: bool,
}

pub(crate) fn audit(args: &AuditArgs) -> Result<Exit> {
    let rules: Vec<Rule> = args.deny.iter().map(|rule| Rule::new(rule)).collect();
    let config = Config::read(args.config.as_deref(), &args.cwd)?;
    let report = match &args.new {
        None => look_at(&args.path, &config, &rules, args.json)?,
        Some(new) => compare([&args.path, new], &config, &rules, args.json)?,
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

fn look_at(path: &Path, config: &Config, rules: &[Rule], json: bool) -> Result<Report> {
    let audits = audits(&files(path)?, &|name| grants(config, name));
    warn(rules, &audits);
    Ok(Report {
        text: if json {
            json::plugins(&audits, rules)?
        } else {
            audit_table::render(&audits, rules) + &settings(config, &audits)
        },
        loads: audits.iter().all(loads),
        found: audits.iter().any(|audit| is_denied(audit, rules)),
    })
}

fn compare(paths: [&Path; 2], config: &Config, rules: &[Rule], json: bool) -> Result<Report> {
    let pairs = pairs(paths, config)?;
    let sides = || pairs.iter().flat_map(|pair| pair.old.iter().chain(&pair.new));
    warn(rules, sides());
    let gained = pairs.iter().any(|pair| !pair.difference().gained.is_empty());
    Ok(Report {
        text: if json { json::pairs(&pairs, rules)? } else { audit_difference::render(&pairs, rules) },
        loads: sides().all(loads),
        found: gained || pairs.iter().filter_map(|pair| pair.new.as_ref()).any(|new| is_denied(new, rules)),
    })
}

fn pairs([old, new]: [&Path; 2], config: &Config) -> Result<Vec<Pair>> {
    let files = [files(old)?, files(new)?];
    match (old.is_dir(), new.is_dir()) {
        (true, true) => {
            let [old, new] = files.map(|files| audits(&files, &|name| grants(config, name)));
            Ok(Pair::by_name(old, new))
        }
        (false, false) => {
            // The new one takes the place of the old one: both under what is granted to it.
            let granted = grants(config, &load::plugin_name(new));
            let [old, new] = files.map(|files| audits(&files, &|_| granted.clone()));
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

fn audits(files: &[PathBuf], granted: &dyn Fn(&str) -> Grants) -> Vec<Audited> {
    let audit = |file: &PathBuf| {
        let granted = granted(&load::plugin_name(file));
        Audit::of_file(file, &granted).map_err(|problem| LoadError { file: file.clone(), problem })
    };
    files.iter().map(audit).collect()
}

/// What the settings grant the plugin of a name.
fn grants(config: &Config, name: &str) -> Grants {
    config.settings(name).grants
}

/// Where the grants stand, if any plugin has some.
fn settings(config: &Config, audits: &[Audited]) -> String {
    let files: Vec<&Path> = config.origin.read.iter().map(|(file, _)| file.as_path()).collect();
    let is_granted = audits.iter().flatten().any(Audit::has_grants);
    if is_granted { audit_table::settings(&files) } else { String::new() }
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let metadata = std::fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if !metadata.is_dir() {
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

/// Tells of rules that are about nothing: they are often misspelt.
fn warn<'a>(rules: &[Rule], audits: impl IntoIterator<Item = &'a Audited>) {
    let audits: Vec<&Audit> = audits.into_iter().filter_map(|audit| audit.as_ref().ok()).collect();
    for rule in rules.iter().filter(|rule| !rule.is_known(audits.iter().copied())) {
        complain(&format!(
            "the rule `{}` fits no grant and nothing in the contract, in WASI 0.2 or in these files; check its spelling (a `*` \
             stands only at its end)",
            one_line(rule.text(), SHOWN)
        ));
    }
}
