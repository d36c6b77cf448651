//! What is set for a plugin, held against what was: what it is granted, whether it counts, and what its failure means.

use seam_harness::OnFailure;
use seam_plugins::contract::SEAMS;
use seam_plugins::{Audit, Folder, FolderMode, Grants, Plugin};
use serde::Serialize;

use crate::terminal::style::clean;

/// What is set otherwise for one plugin.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// What it is granted now and was not before.
    pub(super) granted: Vec<String>,
    /// The other way round.
    pub(super) taken: Vec<String>,
    /// What else has another value.
    pub(super) values: Vec<Value>,
}

/// One thing that is set.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Value {
    pub(super) key: String,
    pub(super) before: &'static str,
    pub(super) now: &'static str,
}

impl Set {
    /// Held against what is set for a plugin of which nobody says anything, if there was none.
    pub(super) fn of(before: Option<&Plugin>, now: &Plugin) -> Self {
        let granted = |plugin: Option<&Plugin>| plugin.map(|plugin| items(plugin.grants())).unwrap_or_default();
        let (had, has) = (granted(before), granted(Some(now)));
        let beyond = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|item| !other.contains(item)).cloned().collect()
        };
        let mode = value("mode".to_owned(), before.map_or("active", mode), mode(now));
        let decides = Audit::of(now.name().to_owned(), now.inspection(), now.grants()).decides;
        let has_seam = |name: &str| decides.iter().any(|power| power.seam == name);
        let seams = SEAMS.iter().filter(|seam| seam.refusal.is_some() && has_seam(seam.name));
        let failures = seams.filter_map(|seam| {
            let was = before.map_or(seam.on_failure, |plugin| plugin.on_failure().at(seam));
            value(format!("on-failure at `{}`", seam.name), word(was), word(now.on_failure().at(seam)))
        });
        Self {
            granted: beyond(&has, &had),
            taken: beyond(&had, &has),
            values: mode.into_iter().chain(failures).collect(),
        }
    }
}

fn value(key: String, before: &'static str, now: &'static str) -> Option<Value> {
    (before != now).then_some(Value { key, before, now })
}

fn mode(plugin: &Plugin) -> &'static str {
    if plugin.is_shadow() { "shadow" } else { "active" }
}

fn word(failure: OnFailure) -> &'static str {
    match failure {
        OnFailure::Refuse => "refuse",
        OnFailure::Skip => "skip",
    }
}

/// Each single thing that is granted: `exec git`.
fn items(grants: &Grants) -> Vec<String> {
    let plain = Grants { digest: None, fs: Vec::new(), ..grants.clone() };
    let table = toml::Table::try_from(plain).unwrap_or_default();
    let items = table.into_iter().flat_map(|(key, value)| match value {
        toml::Value::Boolean(_) => vec![key],
        toml::Value::Array(all) => all.iter().map(|one| format!("{key} {}", told(one))).collect(),
        one => vec![format!("{key} {}", told(&one))],
    });
    items.chain(grants.fs.iter().map(folder)).map(|item| clean(&item)).collect()
}

fn told(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Its path may be a link.
fn folder(Folder { path, mode, place }: &Folder) -> String {
    let mode = match mode {
        FolderMode::Ro => "ro",
        FolderMode::Rw => "rw",
    };
    format!("fs {mode} {} ({})", path.display(), place.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_is_granted_is_one_item() {
        let grants = Grants {
            ui: true,
            exec: vec!["git".to_owned(), "make".to_owned()],
            complete: Some(5),
            fs: vec![Folder { place: "/a/b".into(), ..Folder::new("b", FolderMode::Rw) }],
            digest: Some("0".to_owned()),
            ..Grants::default()
        };
        let mut items = items(&grants);
        items.sort();
        assert_eq!(items, ["complete 5", "exec git", "exec make", "fs rw b (/a/b)", "ui"]);
    }
}
