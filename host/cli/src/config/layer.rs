//! One settings file, checked by itself, and several of them over one another.

mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use seam_plugins::Grants;
use seam_plugins::inspect::Digest;
use toml::{Table, Value};

use super::Config;
use super::check;
use super::source::{Fault, Source};

/// What one file says.
pub(super) struct Layer {
    pub(super) file: PathBuf,
    pub(super) digest: Digest,
    text: String,
    config: Config,
    /// The same as it stands there: what is not said is not in it.
    pub(super) table: Table,
}

impl Layer {
    /// Reads and checks it. With `needs_folders` what it names has to be there.
    pub(super) fn of(text: &str, file: &Path, needs_folders: bool) -> Result<Self> {
        let source = Source { file, text };
        let mut table: Table = toml::from_str(text).map_err(|error| source.misread(&error))?;
        shape::check(&table).map_err(|fault| source.fault(&fault))?;
        toml::from_str::<Config>(text).map_err(|error| source.misread(&error))?;
        as_json(&mut table).map_err(|fault| source.fault(&fault))?;
        let mut config: Config = table.clone().try_into().map_err(|error| source.misread(&error))?;
        check::check(&config).map_err(|fault| source.fault(&fault))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        check::find_folders(&mut config, folder, needs_folders).map_err(|fault| source.fault(&fault))?;
        Ok(Self { file: file.to_owned(), digest: Digest::of(text.as_bytes()), text: text.to_owned(), config, table })
    }

    /// What it grants, by plugin.
    pub(super) fn granted(&self) -> BTreeMap<String, Grants> {
        self.config.plugins.iter().map(|(name, settings)| (name.clone(), settings.grants.clone())).collect()
    }

    /// Whether it wants only what is locked.
    pub(super) fn is_locked(&self) -> bool {
        self.config.locked
    }

    /// The plugins it names.
    pub(super) fn plugins(&self) -> BTreeSet<String> {
        self.config.plugins.keys().chain(&self.config.plugin_order).cloned().collect()
    }

    /// Each over those before it: tables become one, all else is replaced.
    pub(super) fn together(mut layers: Vec<Self>) -> Result<Config> {
        if layers.len() <= 1 {
            let Some(layer) = layers.pop() else { return Ok(Config::default()) };
            check::check_together(&layer.config).map_err(|fault| layer.source().fault(&fault))?;
            return Ok(layer.config);
        }
        let mut all = Table::new();
        layers.iter().for_each(|layer| put_over(&mut all, &layer.table));
        let mut config: Config = all.try_into().map_err(|error| anyhow!("the settings do not go together: {error}"))?;
        for layer in &layers {
            layer.give_folders(&mut config);
        }
        check::check_together(&config).map_err(|fault| told(&layers, &fault))?;
        Ok(config)
    }

    /// No key stands in it, as a project's file must be.
    pub(super) fn holds_no_key(&self) -> Result<()> {
        check::providers::key(&self.config.providers).map_err(|fault| self.source().fault(&fault))
    }

    fn source(&self) -> Source<'_> {
        Source { file: &self.file, text: &self.text }
    }

    /// Folders and files were found from the file that names them.
    fn give_folders(&self, to: &mut Config) {
        if has(&self.table, &["workspace", "outside"]) {
            to.workspace.outside.clone_from(&self.config.workspace.outside);
        }
        for (name, settings) in &self.config.providers {
            let Some(there) = to.providers.get_mut(name) else { continue };
            there.ca_file = settings.ca_file.clone().or_else(|| there.ca_file.take());
            there.key_command = settings.key_command.clone().or_else(|| there.key_command.take());
        }
        for (name, settings) in &self.config.plugins {
            let there = to.plugins.get_mut(name).filter(|_| has(&self.table, &["plugins", name, "grants", "fs"]));
            if let Some(there) = there {
                there.grants.fs.clone_from(&settings.grants.fs);
            }
        }
    }
}

/// What is wrong with several files that are each as they should be: told of the last that says something there.
fn told(layers: &[Layer], fault: &Fault) -> anyhow::Error {
    let sources = || layers.iter().rev().map(Layer::source);
    let source = sources().find(|source| source.has(fault)).or_else(|| sources().next());
    let files: Vec<String> = layers.iter().map(|layer| layer.file.display().to_string()).collect();
    let of_all = format!("the settings of {} do not go together", files.join(" and "));
    source.map_or_else(|| anyhow!(of_all.clone()), |source| source.fault(fault).context(of_all.clone()))
}

fn put_over(all: &mut Table, over: &Table) {
    for (key, value) in over {
        match (all.get_mut(key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => put_over(under, over),
            _ => drop(all.insert(key.clone(), value.clone())),
        }
    }
}

fn has(table: &Table, keys: &[&str]) -> bool {
    let Some((key, rest)) = keys.split_first() else { return true };
    match table.get(*key) {
        None => false,
        Some(_) if rest.is_empty() => true,
        Some(value) => value.as_table().is_some_and(|table| has(table, rest)),
    }
}

/// Makes a plugin's own settings such that JSON can hold them: a date becomes the text that it is written as.
fn as_json(table: &mut Table) -> Result<(), Fault> {
    let plugins = table.get_mut("plugins").and_then(Value::as_table_mut);
    for (name, plugin) in plugins.into_iter().flatten() {
        let config = plugin.as_table_mut().and_then(|plugin| plugin.get_mut("config"));
        config.map_or(Ok(()), |config| value_as_json(config, &["plugins", name, "config"]))?;
    }
    Ok(())
}

fn value_as_json(value: &mut Value, at: &[&str]) -> Result<(), Fault> {
    match value {
        Value::Datetime(date) => *value = Value::String(date.to_string()),
        Value::Float(float) if !float.is_finite() => {
            return Err(Fault::of(
                at,
                &format!("is {float}, which JSON cannot say, and plugins get JSON; give a number"),
            ));
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| value_as_json(value, at))?,
        Value::Table(table) => {
            table.iter_mut().try_for_each(|(key, value)| value_as_json(value, &[at, &[key.as_str()]].concat()))?;
        }
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {}
    }
    Ok(())
}
