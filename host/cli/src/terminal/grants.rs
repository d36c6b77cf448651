//! Grants as a person reads them: as they stand in the settings.

use std::path::Path;

use seam_plugins::{Folder, Grants};

use crate::terminal::style::{Style, clean, one_line};

/// How long a name gets.
const SHOWN: usize = 200;
/// How much of a digest is shown.
const DIGEST: usize = 16;

/// A plugin's file, and what it is granted.
pub(crate) fn render(plugin: &str, digest: &str, grants: &Grants) -> String {
    let name = Style::for_stdout().bold(&one_line(plugin, SHOWN));
    let head = format!("{name}  sha256 {}\n", digest.get(..DIGEST).unwrap_or(digest));
    let places = grants.fs.iter().map(place);
    lines(grants).into_iter().chain(places).fold(head, |text, line| text + "  " + &line + "\n")
}

/// Where a folder is: its path may be a link.
fn place(folder: &Folder) -> String {
    let path = |path: &Path| one_line(&path.display().to_string(), SHOWN);
    format!("`{}` is {}", path(&folder.path), path(&folder.place))
}

/// A line for each thing that is granted. `digest` is not one: it grants nothing.
pub(crate) fn lines(grants: &Grants) -> Vec<String> {
    let Ok(table) = toml::Table::try_from(Grants { digest: None, ..grants.clone() }) else { return Vec::new() };
    table.iter().map(|(key, value)| clean(&format!("{key} = {value}")).replace('\n', " ")).collect()
}
