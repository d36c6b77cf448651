//! Why plugins are not loaded, in words.

use std::path::Path;

use anyhow::anyhow;
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
        self.faults.iter().for_each(|fault| complain(fault));
        complain(&format!("nothing was {done}{}", self.remedy));
    }

    /// Plugins of this run's folder.
    pub(super) fn own(errors: &[LoadError], taken: &[&Plugin], folder: &Path) -> Self {
        let taken = taken.iter().map(|plugin| {
            file_and(plugin.file(), "on the screen its name would be that of somebody else; rename the file")
        });
        let faults = errors.iter().map(|error| file_and(&error.file, &problem(&error.problem))).chain(taken);
        Self {
            faults: faults.map(|fault| format!("plugin not loaded: {fault}")).collect(),
            remedy: format!(
                ", since what is not loaded cannot refuse. To run without a plugin, take its file out of {}, or set \
                 `on-failure = \"skip\"` for it.",
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
            None => Self::own(errors, &[], folder.unwrap_or(Path::new("."))),
        }
    }

    /// Plugins of a run around this one.
    pub(super) fn outer(fault: &anyhow::Error) -> Self {
        Self {
            faults: vec![format!("the plugins of the outer run cannot be loaded: {}", faults::told(fault))],
            remedy: format!(
                ": a run of Seam started this one, and its plugins are in force here too (`{VARIABLE}` in the environment \
                 names them). Put them and their settings back as they were."
            ),
            is_partial: false,
        }
    }

    /// A project that grants its plugins something by itself.
    pub(super) fn not_agreed(asked: &Asked, config: &Config) -> Self {
        let project = config.origin.project.display();
        let names: Vec<String> = asked.plugins.keys().map(|name| format!("`{}`", one_line(name, SHOWN))).collect();
        Self {
            faults: vec![format!(
                "{project} grants something to {}, and you have not agreed to that for the plugins as they are now",
                names.join(", ")
            )],
            remedy:
                ". `seam trust` shows what it is, and agrees to it; or name the settings yourself: `--config FILE`."
                    .to_owned(),
            is_partial: false,
        }
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
        LoadProblem::NeedsGrants(_) => clean(&text),
        _ => both_ends(&one_line(&text, usize::MAX), SHOWN),
    }
}

pub(super) fn file_and(file: &Path, what: &str) -> String {
    format!("{}: {what}", both_ends(&one_line(&file.display().to_string(), usize::MAX), SHOWN))
}
