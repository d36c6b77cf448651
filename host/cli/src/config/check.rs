//! What cannot be meant by settings, though it can be read.

pub(super) mod providers;

use std::collections::HashSet;
use std::path::Path;

use seam_plugins::contract::{self, SEAMS};
use seam_plugins::{Grants, Limits, OnFailureRules, Settings, Word};

use super::source::{Fault, hint};
use super::{Compaction, Config};

/// The first thing that is wrong with them.
pub(super) fn check(config: &Config) -> Result<(), Fault> {
    compaction(&config.session.compaction)?;
    order(&config.plugin_order)?;
    providers::check(&config.providers)?;
    for (plugin, Settings { limits: bounds, on_failure: rules, grants: granted, .. }) in &config.plugins {
        on_failure(plugin, rules)?;
        limits(plugin, bounds)?;
        grants(plugin, granted)?;
    }
    Ok(())
}

/// The first thing that is wrong with all files together.
pub(super) fn check_together(config: &Config) -> Result<(), Fault> {
    check(config)?;
    providers::check_together(config)
}

/// Finds the folders that are named in a file of this folder.
pub(super) fn find_folders(config: &mut Config, folder: &Path, have_to_be_there: bool) -> Result<(), Fault> {
    for outside in &mut config.workspace.outside {
        let named = folder.join(&*outside);
        *outside = named.canonicalize().map_err(|error| {
            let what = format!("names {}, which cannot be used: {error}", named.display());
            Fault::of(&["workspace", "outside"], &what)
        })?;
    }
    providers::find_files(&mut config.providers, folder, have_to_be_there)?;
    for (plugin, settings) in &mut config.plugins {
        for granted in &mut settings.grants.fs {
            let named = folder.join(&granted.path);
            granted.place = named.canonicalize().unwrap_or_else(|_| named.clone());
            if have_to_be_there && !granted.place.is_dir() {
                let what = format!("names {}, which is no folder; make it, or leave it out", named.display());
                return Err(Fault::of(&["plugins", plugin, "grants", "fs"], &what));
            }
        }
    }
    Ok(())
}

/// A window in which there is no room for what is always in it.
fn compaction(compaction: &Compaction) -> Result<(), Fault> {
    let Compaction { reserve_tokens, keep_recent_tokens, window, .. } = *compaction;
    if reserve_tokens == 0 {
        return Err(Fault::of(&["session", "compaction", "reserve-tokens"], "is 0; give at least 1"));
    }
    let taken = u64::from(reserve_tokens) + u64::from(keep_recent_tokens);
    let Some(window) = window else { return Ok(()) };
    if taken >= u64::from(window) {
        let what = format!(
            "`[session.compaction]` reserves {reserve_tokens} tokens and keeps {keep_recent_tokens} recent ones, and the \
             window has only {window}; give a larger `window`, or smaller `reserve-tokens` and `keep-recent-tokens`"
        );
        return Err(Fault::new(&["session", "compaction"], what));
    }
    Ok(())
}

fn order(order: &[String]) -> Result<(), Fault> {
    let mut before = HashSet::new();
    let twice = order.iter().find(|name| !before.insert(*name));
    twice.map_or(Ok(()), |name| Err(Fault::of(&["plugin-order"], &format!("names `{name}` twice; leave one out"))))
}

/// A name that is no seam, or one where a failure cannot refuse.
fn on_failure(plugin: &str, rules: &OnFailureRules) -> Result<(), Fault> {
    let OnFailureRules::At(seams) = rules else { return Ok(()) };
    for (name, word) in seams {
        let what = match contract::seam(name) {
            None => {
                let known: Vec<&str> = SEAMS.iter().map(|seam| seam.name).collect();
                format!("unknown seam `{name}` in `on-failure` under `[plugins.{plugin}]`; {}", hint(name, &known))
            }
            Some(seam) if seam.refusal.is_none() && *word == Word::Refuse => {
                format!(
                    "`on-failure` under `[plugins.{plugin}]`: a failure at `{name}` cannot refuse anything; leave it out"
                )
            }
            Some(_) => continue,
        };
        return Err(Fault::new(&["plugins", plugin, "on-failure", name], what));
    }
    Ok(())
}

/// Limits under which a plugin could never do anything, or that it would not be given.
fn limits(plugin: &str, limits: &Limits) -> Result<(), Fault> {
    let at = |key| ["plugins", plugin, "limits", key];
    let most = Limits::MOST_MEMORY_MIB;
    let memory = limits.memory_mib;
    if !(1..=most).contains(&memory) {
        return Err(Fault::of(&at("memory-mib"), &format!("is {memory}; give 1 to {most}")));
    }
    let none = [
        ("time-ms", limits.time_ms),
        ("tool-time-ms", limits.tool_time_ms),
        ("returned-kib", limits.returned_kib),
        ("host-calls", limits.host_calls),
        ("network-ms", limits.network_ms),
        ("nested-ms", limits.nested_ms),
        ("user-ms", limits.user_ms),
    ];
    let none = none.into_iter().find(|(_, limit)| *limit == 0);
    none.map_or(Ok(()), |(key, _)| Err(Fault::of(&at(key), "is 0; give at least 1")))
}

/// Grants that give nothing, or of something that cannot be.
fn grants(plugin: &str, grants: &Grants) -> Result<(), Fault> {
    let at = |key| ["plugins", plugin, "grants", key];
    if grants.complete == Some(0) {
        return Err(Fault::of(&at("complete"), "is 0 tokens; give at least 1, or leave it out"));
    }
    for (key, names, of) in [("tools", &grants.tools, "tool"), ("exec", &grants.exec, "program")] {
        if let Some(name) = names.iter().find(|name| name.is_empty() || name.contains(char::is_whitespace)) {
            return Err(Fault::of(
                &at(key),
                &format!("has `{name}`, which is no name of a {of}; name each {of} alone"),
            ));
        }
    }
    match grants.fault() {
        None => Ok(()),
        Some(fault) => {
            let key = fault.split('`').nth(1).unwrap_or_default();
            Err(Fault::new(&at(key), format!("`[plugins.{plugin}.grants]`: {fault}")))
        }
    }
}
