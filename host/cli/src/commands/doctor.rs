//! `seam doctor`.

mod folders;
mod plugins;
mod providers;
mod settings;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use seam_plugins::WASMTIME;
use seam_plugins::contract::{PACKAGE, VERSION};
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::commands::models::Chosen;
use crate::commands::run::plugins as loading;
use crate::config::Config;
use crate::exit::Exit;
use crate::faults;
use crate::terminal::doctor as words;
use crate::terminal::output::Output;
use crate::terminal::style::clean;
use crate::trust::Asked;

/// Whether it is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Ok,
    /// No run fails for it.
    Note,
    Fault,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) mark: Mark,
    pub(crate) name: String,
    pub(crate) found: String,
    /// What to do about it. Lines behind the first are to be copied.
    pub(crate) remedy: Option<String>,
}

impl Check {
    fn ok(name: &str, found: impl Into<String>) -> Self {
        Self { mark: Mark::Ok, name: name.to_owned(), found: clean(&found.into()), remedy: None }
    }

    fn note(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { mark: Mark::Note, remedy: Some(clean(&remedy.into())), ..Self::ok(name, found) }
    }

    fn fault(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { mark: Mark::Fault, ..Self::note(name, found, remedy) }
    }

    /// A fault if a run would fail for it, else a note.
    fn fault_if(is_fault: bool, name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { mark: if is_fault { Mark::Fault } else { Mark::Note }, ..Self::note(name, found, remedy) }
    }
}

pub(crate) async fn doctor(args: DoctorArgs) -> Result<Exit> {
    let named = &args.place.cwd;
    let cwd = named.canonicalize().with_context(|| format!("--cwd {} cannot be used", named.display()))?;
    let mut checks = vec![versions(), Check::ok("workspace", cwd.display().to_string())];
    match Config::read(args.place.config.as_deref(), &cwd) {
        Ok(config) => checks.extend(configured(&config, &cwd, &args).await?),
        Err(error) => checks.push(Check::fault(
            "settings",
            faults::told(&error),
            "Correct that file: until then nothing runs, and model, providers and plugins are not looked at here",
        )),
    }
    checks.push(folders::cache());
    checks.push(folders::sessions(&cwd));
    let output = Output::default();
    output.print(&if args.json { format!("{:#}\n", json(&checks)) } else { words::render(&checks) });
    let has_fault = checks.iter().any(|check| check.mark == Mark::Fault);
    Ok(if has_fault || output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

/// All that depends on the settings.
async fn configured(config: &Config, cwd: &Path, args: &DoctorArgs) -> Result<Vec<Check>> {
    let named = args.place.plugins.as_deref();
    let folder = loading::folder(named, cwd);
    let asked = Asked::of(config, folder.as_ref().ok().and_then(Option::as_deref));
    let (trust, agreed) = settings::trust(&asked, config);
    let mut checks = vec![settings::files(config), trust];
    let known = Arc::new(config.providers()?);
    let chosen = Chosen::of(config, &known);
    checks.push(settings::model(chosen.as_ref(), config, &known));
    let is_agreed = agreed == Some(true);
    let way = providers::Way { offline: args.offline, is_agreed, chosen: chosen.map(|chosen| chosen.wanted) };
    checks.extend(providers::checks(&known, config, &way).await);
    // Without knowing what the user agreed to, nothing can be said of them.
    if agreed.is_some() {
        checks.extend(plugins::checks(folder, config, cwd, is_agreed).await);
    }
    Ok(checks)
}

fn versions() -> Check {
    let seam = env!("CARGO_PKG_VERSION");
    Check::ok("versions", format!("seam {seam}, wasmtime {WASMTIME}, contract {PACKAGE}@{VERSION}"))
}

/// As `seam doctor --help` describes it.
fn json(checks: &[Check]) -> Value {
    let check = |Check { mark, name, found, remedy }: &Check| {
        let mark = match mark {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Fault => "fault",
        };
        json!({ "mark": mark, "check": name, "found": found, "remedy": remedy })
    };
    checks.iter().map(check).collect()
}
