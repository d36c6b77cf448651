//! `seam.lock`: what the plugins of a project were when somebody approved them.

mod settings;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{self, Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};
use seam_plugins::inspect::{Digest, Inspection, Item};
use seam_plugins::load::{self, plugin_name, wasm_files};
use seam_plugins::{Audit, Grants, Plugin, Settings};
use serde::{Deserialize, Serialize};
use tempfile::Builder;

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
/// What is said of a plugin of which something else is set.
const OTHER_SETTINGS: &str = "has other settings";

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
    /// The digest of what is set for it, if anything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<String>,
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
        let read = |text: String| {
            toml::from_str(&text)
                .map_err(|error| config::misread(&text, &file, &error))
                .with_context(|| unreadable(&file))
        };
        text.map(read).transpose()
    }

    /// The plugins as they are, for a lock of these settings.
    pub(crate) fn of(plugins: &[Plugin], config: &Config) -> Self {
        let folder = Self::file(config).parent().map(Path::to_owned).unwrap_or_default();
        let plugins = plugins.iter().map(|plugin| (plugin.name().to_owned(), Locked::of(plugin, &folder, config)));
        Self { plugins: plugins.collect() }
    }

    /// Writes it, whole or not at all. Who may read it stays as it was.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let unwritable = || format!("{} cannot be written", file.display());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let usual = Permissions::from_mode(0o666);
        let mut new = Builder::new().permissions(usual).tempfile_in(folder).with_context(unwritable)?;
        if let Ok(old) = fs::metadata(file) {
            new.as_file().set_permissions(old.permissions()).with_context(unwritable)?;
        }
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
            let digest = Digest::of(&load::read(file).ok()?).to_string();
            match self.plugins.get(&name) {
                Some(locked) if locked.sha256 != digest => {
                    Some(format!("`{}` {}", shown(&name), locked.is_another(&digest)))
                }
                Some(locked) if locked.settings != settings::digest(&config.settings(&name)) => {
                    Some(format!("`{}` {OTHER_SETTINGS}", shown(&name)))
                }
                Some(_) => None,
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
    fn of(plugin: &Plugin, folder: &Path, config: &Config) -> Self {
        let file = within(plugin.file());
        let folder = folder_of(folder);
        let Inspection { exports, imports, .. } = plugin.inspection();
        let used = imports.iter().filter(|import| !import.members.is_empty());
        Self {
            file: file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned(),
            sha256: plugin.digest().to_string(),
            exports: exports.iter().map(|export| export.name.clone()).collect(),
            settings: settings::digest(&config.settings(plugin.name())),
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
        if self.sha256 != now.sha256 {
            return Some(self.is_another(&now.sha256));
        }
        let place = || format!("lies elsewhere ({} now, {} then)", shown(&now.file), shown(&self.file));
        let differs = [
            (self.file != now.file, place()),
            (self.grants != now.grants, "is granted something else".to_owned()),
            (self.settings != now.settings, OTHER_SETTINGS.to_owned()),
            (!self.is_true_of(now), "has other exports or imports than it says there".to_owned()),
        ];
        let told: Vec<String> = differs.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Whether it says of the same file what holds of it.
    pub(crate) fn is_true_of(&self, now: &Self) -> bool {
        self.exports == now.exports && self.imports == now.imports
    }

    /// How it differs from the same file now, in a word each.
    pub(crate) fn changes(&self, now: &Self) -> Vec<&'static str> {
        let changes = [
            (self.file != now.file, "in another place"),
            (self.grants != now.grants, "other grants"),
            (self.settings != now.settings, "other settings"),
            (!self.is_true_of(now), "what was locked of its exports and imports was false"),
        ];
        changes.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect()
    }

    fn is_another(&self, now: &str) -> String {
        let short = |digest: &str| one_line(digest.get(..SHORT).unwrap_or(digest), SHOWN);
        format!("is another file ({} now, {} then)", short(now), short(&self.sha256))
    }
}

/// A file in its folder, wherever that is in truth: however it is named, it is one place.
fn within(file: &Path) -> PathBuf {
    let folder = file.parent().map(folder_of).unwrap_or_default();
    folder.join(file.file_name().unwrap_or_default())
}

fn folder_of(folder: &Path) -> PathBuf {
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    named.canonicalize().or_else(|_| path::absolute(named)).unwrap_or_else(|_| named.to_owned())
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
