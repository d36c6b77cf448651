//! Why plugins are not loaded, in words.

use std::path::Path;

use anyhow::anyhow;
use seam_plugins::load::plugin_name;
use seam_plugins::{LoadError, LoadProblem, Plugin};

use super::Loaded;
use crate::commands::run::outer::VARIABLE;
use crate::config::Config;
use crate::faults;
use crate::lock::Lock;
use crate::terminal::output::complain;
use crate::terminal::style::{both_ends, clean, one_line};
use crate::trust::Asked;

/// How long a file's name and what is wrong with it get, in characters.
const SHOWN: usize = 200;

/// What stands below lines to add, as a line of settings.
const AND_AGREE: &str = "# in a project's own file: then run `seam trust`";

/// Why nothing can run.
#[derive(Debug)]
pub(in crate::commands) struct NotLoaded {
    /// Each thing that is wrong.
    pub(in crate::commands) faults: Vec<String>,
    /// What to do about it.
    pub(in crate::commands) remedy: String,
    /// A file may only be partly there yet.
    pub(in crate::commands) is_partial: bool,
}

impl NotLoaded {
    /// Says why nothing is done: `run`, for example.
    pub(in crate::commands) fn tell(&self, done: &str) {
        self.faults.iter().for_each(|fault| complain(&clean(fault)));
        complain(&format!("nothing was {done}{}", self.remedy));
    }

    /// Plugins of this run's folder.
    pub(super) fn own(errors: &[LoadError], taken: &[&Plugin], folder: &Path, in_force: &[String]) -> Self {
        let taken = taken.iter().map(|plugin| {
            file_and(plugin.file(), "on the screen its name would be that of somebody else; rename the file")
        });
        let faults = errors.iter().map(|error| file_and(&error.file, &problem(&error.problem))).chain(taken);
        // What is in force is not left out, whatever is set for it.
        let is_in_force = |error: &LoadError| in_force.contains(&plugin_name(&error.file));
        let skip = if errors.iter().any(is_in_force) { "" } else { ", or set `on-failure = \"skip\"` for it" };
        Self {
            faults: faults.map(|fault| format!("plugin not loaded: {fault}")).collect(),
            remedy: format!(
                ", since what is not loaded cannot refuse. To run without a plugin, take its file out of {}{skip}.",
                folder.display()
            ),
            is_partial: errors.iter().any(|error| error.problem.may_be_partial()),
        }
    }

    /// Plugins that are loaded and cannot take part.
    pub(in crate::commands::run) fn apart(errors: &[LoadError], loaded: &Loaded, folder: Option<&Path>) -> Self {
        let is_outer = |file: &Path| loaded.plugins.iter().take(loaded.outer).any(|plugin| plugin.file() == file);
        match errors.iter().find(|error| is_outer(&error.file)) {
            Some(error) => Self::outer(&anyhow!("{error}")),
            None => Self::own(errors, &[], folder.unwrap_or(Path::new(".")), &loaded.in_force),
        }
    }

    /// Plugins of a run around this one.
    pub(in crate::commands::run) fn outer(fault: &anyhow::Error) -> Self {
        Self {
            faults: vec![format!("the plugins of the outer run cannot be loaded: {}", faults::told(fault))],
            remedy: format!(
                ": a run of Seam started this one, and its plugins are in force here too (`{VARIABLE}` in the environment \
                 names them). Put them and their settings back as they were."
            ),
            is_partial: false,
        }
    }

    /// Settings that ask for what the user has not agreed to.
    pub(in crate::commands) fn not_agreed(asked: &Asked, config: &Config) -> Self {
        let fault = |file: Option<&Path>, wishes: &[String]| {
            let (first, more) = (wishes.first()?, wishes.len() - 1);
            let more = if more == 0 { String::new() } else { format!(", and {more} more") };
            let file = file_name(file?);
            Some(format!("{file} asks for what you have not agreed to as it is now: it {first}{more}"))
        };
        let origin = &config.origin;
        let of_project = fault(Some(&origin.project), &asked.of_project);
        let faults = of_project.into_iter().chain(fault(origin.user.as_deref(), &asked.of_user)).collect();
        let remedy = format!(
            ". `{}` shows all of it, and asks whether you agree; or name the settings yourself: `--config FILE`.",
            one_line(&asked.command, usize::MAX)
        );
        Self { faults, remedy, is_partial: false }
    }

    pub(super) fn no_lock(config: &Config) -> Self {
        Self {
            faults: vec![format!("there is no {}, and only what is locked may run", Lock::file(config).display())],
            remedy: ". `seam lock` writes it, with the plugins as they are now.".to_owned(),
            is_partial: false,
        }
    }

    pub(super) fn locked(differences: &[String], config: &Config) -> Self {
        let file = Lock::file(config);
        Self {
            faults: vec![format!("the plugins are not as in {}: {}", file.display(), differences.join("; "))],
            remedy: ". `seam lock` shows what changed, and approves it.".to_owned(),
            is_partial: false,
        }
    }
}

/// Says that the plugins of a run around this one cannot take part here, and that nothing is run.
pub(in crate::commands::run) fn complain_of_outer(fault: &anyhow::Error) {
    NotLoaded::outer(fault).tell("run");
}

/// What is wrong with a file. Lines to add are told as they are, all else in one line that is not too long.
pub(super) fn problem(problem: &LoadProblem) -> String {
    let text = problem.to_string();
    match problem {
        LoadProblem::NeedsGrants(needed) if needed.bound.is_none() => format!("{}\n    {AND_AGREE}", clean(&text)),
        LoadProblem::NeedsGrants(_) => clean(&text),
        _ => both_ends(&one_line(&text, usize::MAX), SHOWN),
    }
}

pub(super) fn file_and(file: &Path, what: &str) -> String {
    format!("{}: {what}", file_name(file))
}

fn file_name(file: &Path) -> String {
    both_ends(&one_line(&file.display().to_string(), usize::MAX), SHOWN)
}
