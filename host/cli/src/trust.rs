//! What the user agreed to: the grants that a project gives its own plugins. A project that somebody else wrote must not
//! give itself anything.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::BaseStrategy as _;
use seam_plugins::inspect::Digest;
use seam_plugins::load::{plugin_name, wasm_files};
use seam_plugins::{Grants, Settings};
use serde_json::json;
use tempfile::NamedTempFile;

use crate::config::Config;

/// The grants that hold only when the user agreed to them.
pub(crate) struct Asked {
    /// The project's settings file: its own name in a canonical folder. Where it leads as a link is nobody's agreement.
    project: PathBuf,
    /// By plugin: the digest of its file, and what it is granted.
    pub(crate) plugins: BTreeMap<String, (String, Grants)>,
}

impl Asked {
    /// What these settings grant the plugins of a folder, and the user has not granted himself.
    pub(crate) fn of(config: &Config, folder: Option<&Path>) -> Self {
        let files = folder.and_then(|folder| wasm_files(folder).ok()).unwrap_or_default();
        let asked = files.into_iter().filter_map(|file| {
            let name = plugin_name(&file);
            let grants = of_project(config, &name)?.clone();
            Some((name, (Digest::of(&fs::read(file).ok()?).to_string(), grants)))
        });
        Self { plugins: asked.collect(), project: place_of(&config.origin.project) }
    }

    /// Whether nothing is asked, or exactly this was agreed to.
    pub(crate) fn is_agreed(&self) -> Result<bool> {
        Ok(self.plugins.is_empty() || agreements(&place()?)?.contains(&self.line()))
    }

    /// Writes down that it was agreed to, in place of what was for this project.
    pub(crate) fn agree(&self) -> Result<()> {
        let file = place()?;
        let unwritable = || format!("{} cannot be written", file.display());
        let folder = file.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(unwritable)?;
        let project = self.project();
        let of_others = agreements(&file)?.into_iter().filter(|line| !line.ends_with(&project));
        let lines: String = of_others.chain([self.line()]).map(|line| line + "\n").collect();
        let mut new = NamedTempFile::new_in(folder).with_context(unwritable)?;
        new.write_all(lines.as_bytes()).with_context(unwritable)?;
        new.persist(&file).with_context(unwritable)?;
        Ok(())
    }

    /// What is set for a plugin. What was agreed to holds for the bytes that were looked at, and for none that come in
    /// their place.
    pub(crate) fn settings(&self, config: &Config, plugin: &str) -> Settings {
        let mut settings = config.settings(plugin);
        if of_project(config, plugin).is_some() {
            let digest = self.plugins.get(plugin).map(|(digest, _)| digest.clone());
            settings.grants.digest.get_or_insert(digest.unwrap_or_default());
        }
        settings
    }

    /// What it comes to, and the project.
    fn line(&self) -> String {
        let plugins: BTreeMap<_, _> = self
            .plugins
            .iter()
            .map(|(name, (digest, grants))| {
                let places: Vec<String> = grants.fs.iter().map(|folder| format!("{:?}", folder.place)).collect();
                (name, json!({ "digest": digest, "grants": grants, "places": places }))
            })
            .collect();
        format!("{}{}", Digest::of(json!(plugins).to_string().as_bytes()), self.project())
    }

    /// On one line, whatever it is called.
    fn project(&self) -> String {
        format!(" {:?}", self.project)
    }
}

fn place_of(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(file.file_name()).map_or_else(|| file.to_owned(), |(folder, name)| folder.join(name))
}

/// What is granted to a plugin by the project's own word: not by a file that the user named, and not to this very file
/// by the user's own settings.
fn of_project<'a>(config: &'a Config, plugin: &str) -> Option<&'a Grants> {
    let grants = &config.plugins.get(plugin)?.grants;
    let own = config.origin.granted.get(plugin).is_some_and(|own| own == grants && own.digest.is_some());
    let nothing = Grants { digest: grants.digest.clone(), ..Grants::default() };
    (!config.origin.is_named && !own && *grants != nothing).then_some(grants)
}

/// Where it is written down.
pub(crate) fn place() -> Result<PathBuf> {
    let folders = etcetera::choose_base_strategy()
        .context("there is no home folder, where it is written down what you agreed to; set HOME or XDG_STATE_HOME")?;
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Ok(state.join("seam").join("trusted"))
}

fn agreements(file: &Path) -> Result<Vec<String>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}
