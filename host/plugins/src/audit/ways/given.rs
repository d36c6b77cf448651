//! What is granted, in words; and what could be, where nothing is yet.

use std::path::PathBuf;

use crate::grants::{FolderMode, Grants};

/// The tools of the host that only look.
const LOOKING: [&str; 4] = ["find", "grep", "ls", "read"];
/// The tools of the host that write files.
const WRITING: [&str; 2] = ["edit", "write"];
/// The tool of the host that runs commands.
const COMMANDS: &str = "bash";

/// Tools that a plugin may call, by what they do.
pub(super) struct Tools {
    /// They only look.
    pub(super) looking: Option<String>,
    /// They write files.
    pub(super) writing: Option<String>,
    /// It runs commands.
    pub(super) commands: Option<String>,
    /// What they do is not known here.
    pub(super) others: Option<String>,
}

impl Tools {
    /// The tools of a grant; if nothing is granted, any.
    pub(super) fn of(grants: &Grants, if_granted: bool) -> Self {
        if if_granted {
            let others = Some("tools you name".to_owned());
            return Self { looking: None, writing: None, commands: None, others };
        }
        let of = |fits: &dyn Fn(&str) -> bool| {
            let names: Vec<String> =
                grants.tools.iter().filter(|name| fits(name.as_str())).map(|name| quoted(name)).collect();
            (!names.is_empty()).then(|| all(&names))
        };
        let known = |name: &str| LOOKING.contains(&name) || WRITING.contains(&name) || name == COMMANDS;
        Self {
            looking: of(&|name| LOOKING.contains(&name)),
            writing: of(&|name| WRITING.contains(&name)),
            commands: of(&|name| name == COMMANDS),
            others: of(&|name| !known(name)),
        }
    }
}

/// The names of a list that is granted; if nothing is, what could be.
pub(super) fn named(names: &[String], if_granted: bool, what: &str) -> String {
    match if_granted {
        true => format!("{what} you name"),
        false => all(&names.iter().map(|name| quoted(name)).collect::<Vec<_>>()),
    }
}

/// The folders in which this may be done.
pub(super) fn folders(grants: &Grants, modes: &[FolderMode]) -> Option<String> {
    let of_mode = grants.fs.iter().filter(|folder| modes.contains(&folder.mode));
    let folders: Vec<String> = of_mode.map(|folder| quoted(&folder.place().display().to_string())).collect();
    (!folders.is_empty()).then(|| all(&folders))
}

/// The files that the host's tools reach.
pub(super) fn files(outside: &[PathBuf]) -> String {
    let folders: Vec<String> = outside.iter().map(|folder| quoted(&folder.display().to_string())).collect();
    match folders.as_slice() {
        [] => "files of the workspace".to_owned(),
        folders => format!("files of the workspace, and of {} outside it", all(folders)),
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// `a`, `a and b`, `a, b and c`.
fn all(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
