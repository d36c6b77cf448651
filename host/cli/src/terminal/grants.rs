//! Grants as a person reads them: as they stand in the settings.

use std::path::Path;

use seam_plugins::audit::Given;
use seam_plugins::{Audit, Folder, Grants};

use crate::config::Config;
use crate::terminal::audit_table::{Look, leak, problem};
use crate::terminal::style::{clean, one_line};
use crate::trust::{Asked, Granted};

/// How long a name gets.
const SHOWN: usize = 200;
/// How much of a digest is shown.
const DIGEST: usize = 16;

/// What settings ask for, a line each, and every plugin that is granted something.
pub(crate) fn asked(asked: &Asked, config: &Config) -> String {
    let origin = &config.origin;
    let of_project = wishes(&origin.project, &asked.of_project);
    let of_user = origin.user.as_deref().map(|user| wishes(user, &asked.of_user)).unwrap_or_default();
    let plugins = asked.plugins.iter().map(|(name, granted)| plugin(name, granted, config));
    [of_project, of_user].into_iter().chain(plugins).filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n")
}

fn wishes(file: &Path, wishes: &[String]) -> String {
    let head = if wishes.is_empty() { String::new() } else { format!("{}\n", path(file)) };
    wishes.iter().fold(head, |text, wish| format!("{text}  {wish}\n"))
}

/// A plugin's file, and what it can do with what it is granted.
fn plugin(name: &str, Granted { file, digest, grants }: &Granted, config: &Config) -> String {
    let look = Look::of_stdout();
    let digest = digest.get(..DIGEST).unwrap_or("not known");
    let head = format!("{}  sha256 {digest}\n", look.style.bold(&one_line(name, SHOWN)));
    let answer = match Audit::of_file(file, Given { grants, outside: &config.workspace.outside }) {
        Ok(audit) => leak("can leak", &audit, look),
        Err(why) => problem("will not load", &why.to_string(), look),
    };
    grants.fs.iter().map(place).fold(head + &answer, |text, line| text + "  " + &line + "\n")
}

/// Where a folder is: its path may be a link.
fn place(folder: &Folder) -> String {
    format!("`{}` is {}", path(&folder.path), path(&folder.place))
}

fn path(path: &Path) -> String {
    one_line(&path.display().to_string(), SHOWN)
}

/// A line for each thing that is granted. `digest` is not one: it grants nothing.
pub(crate) fn lines(grants: &Grants) -> Vec<String> {
    let Ok(table) = toml::Table::try_from(Grants { digest: None, ..grants.clone() }) else { return Vec::new() };
    table.iter().map(|(key, value)| clean(&format!("{key} = {value}")).replace('\n', " ")).collect()
}
