//! `seam.lock`: what the plugins of a project were when somebody approved them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{self, Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};
use seam_plugins::inspect::{Digest, Inspection, Item};
use seam_plugins::load::{plugin_name, wasm_files};
use seam_plugins::{Audit, Grants, Plugin, Settings};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::config::{self, Config};
use crate::terminal::style::one_line;

/// What stands above the plugins.
const HEAD: &str = "\
# What the plugins of this project were when somebody approved them: `seam lock` wrote this, and writes it anew.
# With `--locked`, or with `locked = true` in `seam.toml`, anything else is refused.
";

/// How long a name gets.
const SHOWN: usize = 200;
/// So much of a digest is shown.
const SHORT: usize = 12;

/// The plugins as they were.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Lock {
    /// By name.
    pub(crate) plugins: BTreeMap<String, Locked>,
}

/// One of them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Locked {
    /// Where it lies, seen from where the lock lies.
    file: String,
    /// The digest of its bytes.
    pub(crate) sha256: String,
    /// The full names of its exports.
    pub(crate) exports: Vec<String>,
    /// The functions it imports, by the full name of the interface.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    /// What is granted to it.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub(crate) grants: Grants,
}

impl Lock {
    /// Its file: beside the project's settings.
    pub(crate) fn file(config: &Config) -> PathBuf {
        config.origin.project.with_file_name("seam.lock")
    }

    /// Reads it, if it is there.
    pub(crate) fn read(config: &Config) -> Result<Option<Self>> {
        let file = Self::file(config);
        let text = config::text_if_any(&file).with_context(|| unreadable(&file))?;
        text.map(|text| toml::from_str(&text).with_context(|| unreadable(&file))).transpose()
    }

    /// The plugins as they are, for a lock of these settings.
    pub(crate) fn of(plugins: &[Plugin], config: &Config) -> Self {
        let folder = Self::file(config).parent().map(Path::to_owned).unwrap_or_default();
        let plugins = plugins.iter().map(|plugin| (plugin.name().to_owned(), Locked::of(plugin, &folder)));
        Self { plugins: plugins.collect() }
    }

    /// Writes it, whole or not at all.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let unwritable = || format!("{} cannot be written", file.display());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut new = NamedTempFile::new_in(folder).with_context(unwritable)?;
        new.write_all(self.text()?.as_bytes()).with_context(unwritable)?;
        new.persist(file).with_context(unwritable)?;
        Ok(())
    }

    fn text(&self) -> Result<String> {
        Ok(format!("{HEAD}\n{}", toml::to_string_pretty(self)?))
    }

    /// What can be said of the files of a folder before anything of them is started: those that are not what was locked,
    /// and those that would get something and were not locked.
    pub(crate) fn changed(&self, folder: &Path, config: &Config) -> Vec<String> {
        let changed = |file: &PathBuf| {
            let name = plugin_name(file);
            let digest = Digest::of(&fs::read(file).ok()?).to_string();
            match self.plugins.get(&name) {
                Some(locked) if locked.sha256 == digest => None,
                Some(locked) => Some(format!("`{}` {}", shown(&name), locked.is_another(&digest))),
                None if config.settings(&name).grants == Grants::default() => None,
                None => Some(format!("`{}` is new", shown(&name))),
            }
        };
        wasm_files(folder).unwrap_or_default().iter().filter_map(changed).collect()
    }

    /// What is granted holds for the bytes that were locked, and for none that come in their place.
    pub(crate) fn pinned(&self, plugin: &str, mut settings: Settings) -> Settings {
        let digest = self.plugins.get(plugin).map(|locked| locked.sha256.clone());
        settings.grants.digest = settings.grants.digest.or(digest);
        settings
    }

    /// How the plugins that are there differ from it.
    pub(crate) fn differences(&self, there: &Self) -> Vec<String> {
        let gone = self.plugins.keys().filter(|name| !there.plugins.contains_key(*name));
        let gone = gone.map(|name| format!("`{}` is gone", shown(name)));
        let other = there.plugins.iter().filter_map(|(name, now)| match self.plugins.get(name) {
            None => Some(format!("`{}` is new", shown(name))),
            Some(locked) => Some(format!("`{}` {}", shown(name), locked.difference(now)?)),
        });
        gone.chain(other).collect()
    }
}

impl Locked {
    fn of(plugin: &Plugin, folder: &Path) -> Self {
        let file = path::absolute(plugin.file()).unwrap_or_else(|_| plugin.file().to_owned());
        let folder = path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let Inspection { exports, imports, .. } = plugin.inspection();
        let used = imports.iter().filter(|import| !import.members.is_empty());
        Self {
            file: file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned(),
            sha256: plugin.digest().to_string(),
            exports: exports.iter().map(|export| export.name.clone()).collect(),
            imports: used.map(|import| (import.name.clone(), import.members.clone())).collect(),
            grants: as_written(plugin.grants()),
        }
    }

    /// What a plugin of this name was when it was locked. None when what is written here is no digest.
    pub(crate) fn audit(&self, name: &str) -> Option<Audit> {
        let item = |name: &String, members: &[String]| Item {
            name: name.clone(),
            is_instance: true,
            members: members.to_vec(),
            inner: Vec::new(),
        };
        let inspection = Inspection {
            digest: Digest::from_hex(&self.sha256)?,
            size: 0,
            exports: self.exports.iter().map(|name| item(name, slice::from_ref(name))).collect(),
            imports: self.imports.iter().map(|(name, functions)| item(name, functions)).collect(),
            producers: Vec::new(),
        };
        Some(Audit::of(name.to_owned(), &inspection, &self.grants))
    }

    fn difference(&self, now: &Self) -> Option<String> {
        match (self.sha256 == now.sha256, self.grants == now.grants) {
            (true, true) => None,
            (false, _) => Some(self.is_another(&now.sha256)),
            (true, false) => Some("is granted something else".to_owned()),
        }
    }

    fn is_another(&self, now: &str) -> String {
        let short = |digest: &str| digest.get(..SHORT).unwrap_or(digest).to_owned();
        format!("is another file ({} now, {} then)", short(now), short(&self.sha256))
    }
}

/// Without what is true of one machine only, and without the digest, which stands in the lock by itself.
fn as_written(grants: &Grants) -> Grants {
    let mut grants = Grants { digest: None, ..grants.clone() };
    grants.fs.iter_mut().for_each(|folder| folder.place = PathBuf::new());
    grants
}

/// A name as it is told: it cannot pose as something else.
fn shown(name: &str) -> String {
    one_line(name, SHOWN)
}

fn is_nothing(grants: &Grants) -> bool {
    *grants == Grants::default()
}

fn unreadable(file: &Path) -> String {
    format!("{} cannot be read; see what is wrong with it, or make it anew with `seam lock`", file.display())
}
