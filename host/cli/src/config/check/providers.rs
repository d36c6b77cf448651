//! What cannot be meant by the settings of providers.

use std::collections::BTreeMap;
use std::path::Path;

use seam_loop::Header;
use seam_providers::ProviderSettings;

use super::{Config, Fault};
use crate::wanted::Wanted;

type Providers = BTreeMap<String, ProviderSettings>;

/// Times in which nothing can happen, and commands that are none.
pub(super) fn check(providers: &Providers) -> Result<(), Fault> {
    for (name, settings) in providers {
        let at = |key| ["providers", name, key];
        let times = [("connect-ms", settings.connect_ms), ("silence-ms", settings.silence_ms)];
        if let Some((key, _)) = times.into_iter().find(|(_, millis)| *millis == Some(0)) {
            return Err(Fault::of(&at(key), "is 0; give at least 1"));
        }
        if settings.key_command.as_ref().is_some_and(Vec::is_empty) {
            return Err(Fault::of(&at("key-command"), "is empty; give a program and its arguments, or leave it out"));
        }
    }
    Ok(())
}

/// A provider that cannot be one, and a model that nobody has.
pub(super) fn check_together(config: &Config) -> Result<(), Fault> {
    let providers = config.providers().map_err(|invalid| {
        let at = ["providers", &invalid.provider];
        Fault::new(&at, invalid.to_string())
    })?;
    let Some(model) = &config.model else { return Ok(()) };
    Wanted::parse(model, &providers).map(drop).map_err(|what| Fault::new(&["model"], format!("`model`: {what}")))
}

/// Finds the files that are named in a file of this folder.
pub(super) fn find_files(providers: &mut Providers, folder: &Path, have_to_be_there: bool) -> Result<(), Fault> {
    for (name, settings) in providers {
        if let Some(command) = &mut settings.key_command {
            let at = ["providers", name, "key-command"];
            find_program(command, folder, have_to_be_there).map_err(|what| Fault::of(&at, &what))?;
        }
        let Some(file) = &mut settings.ca_file else { continue };
        *file = folder.join(&*file);
        if have_to_be_there && !file.is_file() {
            let what = format!("names {}, which is no file; correct it, or leave it out", file.display());
            return Err(Fault::of(&["providers", name, "ca-file"], &what));
        }
    }
    Ok(())
}

/// Finds the program of a command from the folder of the file that names it. One of a project's file may not lead into the
/// project: what was agreed to could be changed there by anyone who writes, the model too.
fn find_program(command: &mut [String], folder: &Path, is_project: bool) -> Result<(), String> {
    let Some(program) = command.first_mut() else { return Ok(()) };
    let is_relative = program.contains('/') && Path::new(&*program).is_relative();
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let leads_into = |word: &String| Path::new(word).starts_with(&folder);
    if is_project && (is_relative || command.iter().any(leads_into)) {
        return Err(
            "leads into the project, where it can be changed after you agreed; name a program outside".to_owned()
        );
    }
    if let Some(program) = command.first_mut().filter(|_| is_relative) {
        *program = folder.join(&*program).display().to_string();
    }
    Ok(())
}

/// A header that carries a key.
pub(in crate::config) fn key(providers: &Providers) -> Result<(), Fault> {
    for (provider, settings) in providers {
        let headers = settings.headers.keys().map(|name| Header { name: name.clone(), value: String::new() });
        if let Some(Header { name, .. }) = headers.into_iter().find(Header::is_secret) {
            let what = "carries a key, and no key stands in a project's file; use `key-env` or `key-command`, or set it in \
                        your own settings";
            return Err(Fault::of(&["providers", provider, "headers", &name], what));
        }
    }
    Ok(())
}
