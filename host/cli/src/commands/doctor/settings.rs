//! The settings: which there are, whether the user agreed to them, and which model they choose.

use std::path::Path;

use seam_loop::ThinkingLevel;
use seam_providers::{Facts, Providers};

use super::Check;
use crate::commands::models::Chosen;
use crate::commands::run::plugins::NotLoaded;
use crate::config::Config;
use crate::export::words::grouped;
use crate::faults;
use crate::trust::{self, Asked};
use crate::wanted::{Wanted, level_name};

/// Which files there are. That they are valid is known by now.
pub(super) fn files(config: &Config) -> Check {
    let name = |file: &Path| file.display().to_string();
    let origin = &config.origin;
    let read: Vec<String> = origin.read.iter().rev().map(|(file, _)| name(file)).collect();
    let places = origin.user.iter().rev().chain([&origin.project]).map(|file| name(file));
    Check::ok(
        "settings",
        match &*read {
            [] => format!("none: neither {}", places.collect::<Vec<_>>().join(" nor ")) + " is there",
            read => read.join(", over "),
        },
    )
}

/// Whether the user agreed to what they ask for, if that is known.
pub(super) fn trust(asked: &Asked, config: &Config) -> (Check, Option<bool>) {
    let project = config.origin.project.display();
    let check = match asked.is_agreed() {
        Ok(true) if asked.is_nothing() => Check::ok("agreement", "the settings ask for nothing that needs it"),
        Ok(true) => Check::ok("agreement", format!("you agreed to what {project} asks for")),
        Ok(false) => Check::fault(
            "agreement",
            NotLoaded::not_agreed(asked, config).faults.join("; "),
            format!(
                "`{}` shows all of it, and asks whether you agree. Until then nothing runs, and no service is asked here",
                asked.command
            ),
        ),
        Err(error) => {
            let place = trust::place().map(|place| place.display().to_string()).unwrap_or_default();
            let todo = match &*place {
                "" => "Set HOME or XDG_STATE_HOME".to_owned(),
                place => format!("Mend {place}, or remove it and agree again: `{}`", asked.command),
            };
            return (Check::fault("agreement", faults::told(&error), todo), None);
        }
    };
    let agreed = Some(check.remedy.is_none());
    (check, agreed)
}

/// The model that they choose.
pub(super) fn model(chosen: Option<&Chosen<'_>>, config: &Config, providers: &Providers) -> Check {
    let Some(Chosen { text, file, wanted }) = chosen else {
        let own = config.origin.user.as_ref().unwrap_or(&config.origin.project).display();
        let todo = format!(
            "Give `--model` to each new run, or set `model = \"PROVIDER/NAME\"` in {own}; `seam models` lists models"
        );
        return Check::note("model", "the settings choose none", todo);
    };
    known(wanted, &format!("{text}, by {}", file.display()), providers)
}

fn known(Wanted { model, level }: &Wanted, chosen: &str, providers: &Providers) -> Check {
    let facts = providers.facts(model).unwrap_or_default();
    let Facts { window, output, is_known, .. } = &facts;
    let [window, output] = [*window, *output].map(|tokens| grouped(tokens.into()));
    let taken = facts.level(level.unwrap_or_default());
    match level {
        _ if !is_known => Check::note(
            "model",
            format!("{chosen}: not in the table; taken to read {window} tokens, to write {output}, and not to think"),
            format!(
                "Look whether it is called so (`seam models {}`), and say what it can under `[providers.{}.models.\"{}\"]`",
                model.provider, model.provider, model.id
            ),
        ),
        Some(level) if *level != taken => Check::note(
            "model",
            format!("{chosen}: it has no level `{}`, so `{}` is used", level_name(*level), level_name(taken)),
            levels(&facts),
        ),
        _ => Check::ok("model", format!("{chosen}; it reads {window} tokens, and writes {output}")),
    }
}

fn levels(facts: &Facts) -> String {
    let there = facts.thinking.keys().filter(|level| **level != ThinkingLevel::Off);
    let there: Vec<String> = there.map(|level| format!("`{}`", level_name(*level))).collect();
    match there.is_empty() {
        true => "Leave the level away: it is not told how to think".to_owned(),
        false => format!("Give a level that it has: {}", there.join(", ")),
    }
}
