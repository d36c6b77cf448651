//! What lies in the plugin folder and is not loaded, and is no reason not to run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use seam_plugins::load::plugin_name;
use seam_plugins::{LoadError, LoadProblem, Plugin};

use super::told::{file_and, problem};
use super::{Loaded, Wanted};
use crate::config::Config;
use crate::terminal::output::complain;
use crate::terminal::style::{clean, one_line};

/// How long a name gets.
const SHOWN: usize = 200;

/// A file that is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The name of the plugin that it would be.
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// Why, and what can be done.
    pub(crate) why: String,
}

/// Whether it goes on without this one: it may be missed only when the user says so, or when nobody expects it and it
/// only lacks grants, or went away while the folder was read. One that is in force may not: it would be so no more.
pub(super) fn may_be(error: &LoadError, wanted: &Wanted<'_>) -> bool {
    let name = plugin_name(&error.file);
    if wanted.in_force.contains(&name) {
        return false;
    }
    let lacks_grants = matches!(error.problem, LoadProblem::NeedsGrants(_));
    wanted.config.settings(&name).on_failure.is_skip() || !wanted.expects(&name) && (lacks_grants || is_gone(error))
}

/// A link that leads nowhere is still there: what it should lead to is missed.
fn is_gone(error: &LoadError) -> bool {
    let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    matches!(&error.problem, LoadProblem::Unreadable(error) if is_absent(error))
        && fs::symlink_metadata(&error.file).is_err_and(|error| is_absent(&error))
}

impl Wanted<'_> {
    /// Whether somebody wrote that there is a plugin of this name.
    fn expects(&self, plugin: &str) -> bool {
        self.config.names(plugin) || self.lock.is_some_and(|lock| lock.plugins.contains_key(plugin))
    }
}

impl LeftOut {
    pub(super) fn of(error: &LoadError, config: &Config) -> Self {
        let is_skip = config.settings(&plugin_name(&error.file)).on_failure.is_skip();
        // Lines to add stay as they are.
        let has_lines = matches!(error.problem, LoadProblem::NeedsGrants(_));
        if is_skip && !has_lines { Self::skipped(error) } else { Self::because(error, problem(&error.problem)) }
    }

    /// One that the user can do without.
    fn skipped(error: &LoadError) -> Self {
        let why = format!("{} (`on-failure = \"skip\"` is set for it)", problem(&error.problem));
        Self::because(error, why)
    }

    fn because(error: &LoadError, why: String) -> Self {
        Self { name: plugin_name(&error.file), file: error.file.clone(), why }
    }

    fn tell(&self) {
        complain(&format!("plugin left out: {}", file_and(&self.file, &self.why)));
    }

    /// A plugin that is granted something, under settings that the user has not agreed to.
    pub(super) fn not_agreed(name: &str, file: &Path, command: &str) -> Self {
        let why = format!("you have not agreed to what it is granted; `{command}` shows what it is, and asks you");
        Self { name: name.to_owned(), file: file.to_owned(), why }
    }
}

impl Loaded {
    /// The names of what lies in this run's own folder, loaded or left out.
    pub(in crate::commands) fn names(&self) -> Vec<&str> {
        let left_out = self.left_out.iter().map(|left_out| &*left_out.name);
        self.own.iter().map(Plugin::name).chain(left_out).collect()
    }

    /// The names of those that are loaded of it.
    pub(in crate::commands::run) fn own_names(&self) -> Vec<String> {
        self.own.iter().map(|plugin| plugin.name().to_owned()).collect()
    }

    /// Leaves out plugins that cannot take part in a session. Not if one of them may not be missed.
    pub(in crate::commands::run) fn go_on_without(&mut self, errors: &[LoadError]) -> bool {
        let may_go = |file: &Path| {
            self.own.iter().any(|plugin| plugin.file() == file && plugin.on_failure().is_skip())
                && !self.in_force.contains(&plugin_name(file))
                && !self.plugins.iter().take(self.outer).any(|plugin| plugin.file() == file)
        };
        if !errors.iter().all(|error| may_go(&error.file)) {
            return false;
        }
        let stays = |plugin: &Plugin| !errors.iter().any(|error| error.file == plugin.file());
        self.own.retain(stays);
        self.plugins.retain(stays);
        self.left_out.extend(errors.iter().map(LeftOut::skipped));
        true
    }

    /// Tells what was left out beyond so many, which are told already.
    pub(in crate::commands::run) fn tell_beyond(&self, told: usize) {
        self.left_out.iter().skip(told).for_each(LeftOut::tell);
    }

    /// Tells what is not as one may think it is: what was left out, and what is not as it was locked.
    pub(in crate::commands) fn tell(&self) {
        self.left_out.iter().for_each(LeftOut::tell);
        if !self.left_out.is_empty() {
            let names: Vec<String> = self.plugins.iter().map(|plugin| one_line(plugin.name(), SHOWN)).collect();
            complain(&match names.is_empty() {
                true => "no other plugin is there".to_owned(),
                false => format!("the rest works: {}", names.join(", ")),
            });
        }
        tell_unlocked(&self.unlocked);
    }
}

/// Tells how plugins differ from what was locked.
pub(in crate::commands) fn tell_unlocked(differences: &[String]) {
    if !differences.is_empty() {
        let all = clean(&differences.join("; "));
        complain(&format!("not as in `seam.lock`: {all}. `seam lock` shows what changed, and approves it."));
    }
}

#[cfg(test)]
mod tests;
