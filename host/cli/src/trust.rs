//! What the user agreed to: what a project's settings ask for beyond what they may say unasked. A project that somebody
//! else wrote must not give itself anything, nor undo what its user set.

mod wishes;

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::BaseStrategy as _;
use seam_plugins::inspect::Digest;
use seam_plugins::load::{self, plugin_name, wasm_files};
use seam_plugins::{Grants, Settings};
use serde_json::json;
use tempfile::NamedTempFile;

use crate::config::Config;

/// What the settings ask for, and the plugins that are granted something.
pub(crate) struct Asked {
    /// The project's settings file: its own name in a canonical folder. Where it leads as a link is nobody's agreement.
    project: PathBuf,
    /// Whether the user has to agree to anything: not to a file that he named.
    is_asked: bool,
    /// What the project's file asks for.
    pub(crate) of_project: Vec<String>,
    /// What the user's own file grants to whatever has the name of a plugin.
    pub(crate) of_user: Vec<String>,
    /// Each plugin of the folder that is granted something.
    pub(crate) plugins: BTreeMap<String, Granted>,
    /// What an agreement would be to, in short.
    what: Digest,
    /// How it is shown and agreed to.
    pub(crate) command: String,
}

/// A plugin that is granted something.
pub(crate) struct Granted {
    pub(crate) file: PathBuf,
    /// Of its bytes; empty when they cannot be read.
    pub(crate) digest: String,
    pub(crate) grants: Grants,
}

impl Asked {
    /// What these settings ask for, with the plugins of a folder.
    pub(crate) fn of(config: &Config, folder: Option<&Path>) -> Self {
        let files = folder.and_then(|folder| wasm_files(folder).ok()).unwrap_or_default();
        let plugins = files.into_iter().filter_map(|file| Some((plugin_name(&file), Granted::of(config, file)?)));
        let plugins: BTreeMap<String, Granted> = plugins.collect();
        let (is_asked, elsewhere) = (!config.origin.is_named, folder.filter(|folder| is_elsewhere(config, folder)));
        let of_project = if is_asked { wishes::of_project(config, &plugins, elsewhere.is_some()) } else { Vec::new() };
        let of_user = if is_asked { wishes::of_user(config, &plugins) } else { Vec::new() };
        Self {
            what: what(config, &plugins, [&of_project, &of_user]),
            project: place_of(&config.origin.project),
            is_asked,
            of_project,
            of_user,
            plugins,
            command: elsewhere
                .map_or_else(|| "seam trust".to_owned(), |folder| format!("seam trust --plugins {}", folder.display())),
        }
    }

    /// Whether there is nothing to agree to.
    pub(crate) fn is_nothing(&self) -> bool {
        self.of_project.is_empty() && self.of_user.is_empty()
    }

    /// Whether nothing is asked, or exactly this was agreed to.
    pub(crate) fn is_agreed(&self) -> Result<bool> {
        Ok(self.is_nothing() || agreements(&place()?)?.contains(&self.line()))
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
        if self.is_asked && grants_something(&settings.grants) {
            match self.plugins.get(plugin) {
                Some(granted) => drop(settings.grants.digest.get_or_insert_with(|| granted.digest.clone())),
                None => settings.grants = Grants::default(),
            }
        }
        settings
    }

    /// What it comes to, and the project.
    fn line(&self) -> String {
        format!("{}{}", self.what, self.project())
    }

    /// On one line, whatever it is called.
    fn project(&self) -> String {
        format!(" {:?}", self.project)
    }
}

impl Granted {
    fn of(config: &Config, file: PathBuf) -> Option<Self> {
        let grants = config.plugins.get(&plugin_name(&file))?.grants.clone();
        let digest = || load::read(&file).map(|bytes| Digest::of(&bytes).to_string()).unwrap_or_default();
        grants_something(&grants).then(|| Self { digest: digest(), grants, file: file.clone() })
    }
}

/// The text of the project's settings, all that is asked, the files that get something, and where folders lead.
fn what(config: &Config, plugins: &BTreeMap<String, Granted>, wishes: [&[String]; 2]) -> Digest {
    let path = |path: &Path| format!("{path:?}");
    let plugins: BTreeMap<_, _> = plugins
        .iter()
        .map(|(name, Granted { digest, grants, .. })| {
            let places: Vec<String> = grants.fs.iter().map(|folder| path(&folder.place)).collect();
            (name, json!({ "digest": digest, "grants": grants, "places": places }))
        })
        .collect();
    let read = config.origin.read.iter().find(|(file, _)| *file == config.origin.project);
    let outside: Vec<String> = config.workspace.outside.iter().map(|folder| path(folder)).collect();
    let all = json!({
        "settings": read.map(|(_, digest)| digest.to_string()),
        "asked": wishes,
        "plugins": plugins,
        "outside": outside,
    });
    Digest::of(all.to_string().as_bytes())
}

/// Whether a folder of plugins is not the project's own, so that its settings are about what others put there.
fn is_elsewhere(config: &Config, folder: &Path) -> bool {
    let project = config.origin.project.parent().unwrap_or(Path::new("."));
    let lies_within = || folder.canonicalize().ok().zip(project.canonicalize().ok());
    folder != project.join(".seam/plugins")
        && lies_within().is_none_or(|(folder, project)| !folder.starts_with(project))
}

fn place_of(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(file.file_name()).map_or_else(|| file.to_owned(), |(folder, name)| folder.join(name))
}

/// `digest` alone grants nothing.
fn grants_something(grants: &Grants) -> bool {
    *grants != Grants { digest: grants.digest.clone(), ..Grants::default() }
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
