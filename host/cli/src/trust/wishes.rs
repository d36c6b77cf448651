//! What a project's settings may not say unasked: grants, anything for a plugin that has some, folders outside, keys for
//! commands, anything of providers, looser bounds, settings for plugins that are not its own, and anything that its user set
//! otherwise.

use std::collections::BTreeMap;

use seam_plugins::Limits;
use seam_session::JournalBounds;
use serde_json::json;
use toml::{Table, Value};

use super::{Granted, grants_something};
use crate::config::Config;
use crate::terminal::style::{both_ends, one_line};

/// How long a value gets, in characters.
const SHOWN: usize = 1000;

/// The plugins that are granted something.
type Plugins = BTreeMap<String, Granted>;

/// One thing that is asked for.
struct Wish {
    /// The keys that lead to where it stands.
    at: Vec<String>,
    what: String,
}

/// Each thing that the project's file asks for, said of the file: it ...
pub(super) fn of_project(config: &Config, plugins: &Plugins, are_elsewhere: bool) -> Vec<String> {
    let (project, user) = (&config.origin.of_project, &config.origin.of_user);
    let mut wishes = Vec::new();
    for (name, settings) in table(project, "plugins") {
        let settings = settings.as_table().into_iter().flatten();
        wishes.extend(settings.flat_map(|(key, value)| of_plugin(name, key, value, plugins, are_elsewhere)));
    }
    if let Some(order) = project.get("plugin-order").filter(|_| are_elsewhere) {
        wishes.push(wish(&["plugin-order"], format!("puts plugins that are not its own in order: {}", shown(order))));
    }
    let names_outside = table(project, "workspace").get("outside").and_then(Value::as_array);
    if names_outside.is_some_and(|folders| !folders.is_empty()) {
        let of_folder = |folder: &std::path::PathBuf| {
            let place = one_line(&folder.display().to_string(), SHOWN);
            wish(&["workspace", "outside"], format!("opens a folder outside the workspace to file tools: {place}"))
        };
        wishes.extend(config.workspace.outside.iter().map(of_folder));
    }
    let keep_env = table(project, "workspace").get("keep-env").and_then(Value::as_array);
    if let Some(names) = keep_env.filter(|names| !names.is_empty()) {
        let names = shown(&Value::Array(names.clone()));
        wishes.push(wish(&["workspace", "keep-env"], format!("gives keys to shell commands: {names}")));
    }
    let providers = config.providers().ok();
    for (name, settings) in table(project, "providers") {
        let address = providers.as_ref().and_then(|known| Some(shown(&known.about(name)?.base_url.into())));
        let settings = settings.as_table().into_iter().flatten();
        wishes.extend(settings.map(|(key, value)| of_provider(name, key, value, address.as_deref())));
    }
    wishes.extend(of_journal(table(project, "session").get("journal-mib")));
    let mut all: Vec<String> = wishes.iter().map(|wish| wish.what.clone()).collect();
    let others = otherwise(user, project, &[]).into_iter();
    all.extend(
        others.filter(|other| !wishes.iter().any(|wish| other.at.starts_with(&wish.at))).map(|other| other.what),
    );
    all
}

/// Each thing that the user's own file grants to whatever has the name of one of these plugins.
pub(super) fn of_user(config: &Config, plugins: &Plugins) -> Vec<String> {
    let mut wishes = Vec::new();
    for name in plugins.keys() {
        let grants = config.origin.granted.get(name).filter(|it| it.digest.is_none() && grants_something(it));
        let Some(grants) = grants.and_then(|grants| Table::try_from(grants).ok()) else { continue };
        wishes.extend(grants.iter().map(|(key, value)| {
            format!("grants to `{}`, whatever file has that name: {key} = {}", one_line(name, SHOWN), shown(value))
        }));
    }
    wishes
}

fn of_plugin(name: &str, key: &str, value: &Value, plugins: &Plugins, is_elsewhere: bool) -> Vec<Wish> {
    let (plain, shown_value) = (one_line(name, SHOWN), shown(value));
    let has_grants = plugins.contains_key(name);
    let inner = || value.as_table().into_iter().flatten();
    match key {
        "grants" if has_grants && value.is_table() => inner()
            .map(|(grant, value)| {
                let what = format!("grants to `{plain}`: {grant} = {}", shown(value));
                wish(&["plugins", name, key, grant], what)
            })
            .collect(),
        _ if has_grants => {
            let what = format!("sets `{key}` of `{plain}`, which is granted something: {shown_value}");
            vec![wish(&["plugins", name, key], what)]
        }
        _ if is_elsewhere => {
            let what = format!("sets `{key}` of `{plain}`, which is not a plugin of its own: {shown_value}");
            vec![wish(&["plugins", name, key], what)]
        }
        "limits" => inner().filter_map(|(limit, value)| of_limit(name, limit, value)).collect(),
        _ => Vec::new(),
    }
}

/// Whoever says where requests go gets the key and all that is said. `address` is where they go then.
fn of_provider(name: &str, key: &str, value: &Value, address: Option<&str>) -> Wish {
    let (plain, shown_key, shown_value) = (one_line(name, SHOWN), one_line(key, SHOWN), shown(value));
    let what = match (key, address) {
        ("base-url", address) => {
            format!("sends what is said to `{plain}`, with its key, to {}", address.unwrap_or(&shown_value))
        }
        ("key-env", Some(address)) => {
            format!("sends the variable {shown_value}, as the key of `{plain}`, to {address}")
        }
        ("key-command", _) => format!("runs a command for the key of `{plain}`: {shown_value}"),
        _ => format!("sets `{shown_key}` of the provider `{plain}`: {shown_value}"),
    };
    wish(&["providers", name, key], what)
}

/// A limit above the usual one.
fn of_limit(plugin: &str, limit: &str, value: &Value) -> Option<Wish> {
    let usual = json!(Limits::default()).get(limit)?.as_i64()?;
    let given = value.as_integer().filter(|given| *given > usual)?;
    let plain = one_line(plugin, SHOWN);
    let what = format!("sets `{limit}` of `{plain}` to {given}, above the default of {usual}");
    Some(wish(&["plugins", plugin, "limits", limit], what))
}

/// A journal below the usual size.
fn of_journal(value: Option<&Value>) -> Option<Wish> {
    let usual = i64::try_from(JournalBounds::default().total >> 20).ok()?;
    let given = value?.as_integer().filter(|given| *given < usual)?;
    let kept = if given == 0 { ": no journal is kept" } else { "" };
    let what = format!("sets `journal-mib` to {given}, below the default of {usual}{kept}");
    Some(wish(&["session", "journal-mib"], what))
}

/// What both say, and not the same. `locked` is not among it: who asks for it has it.
fn otherwise(user: &Table, project: &Table, at: &[&str]) -> Vec<Wish> {
    let keys = project.iter().filter(|(key, _)| !(at.is_empty() && *key == "locked"));
    keys.flat_map(|(key, value)| {
        let at = [at, &[key.as_str()]].concat();
        match (user.get(key), value) {
            (Some(Value::Table(user)), Value::Table(project)) => otherwise(user, project, &at),
            (Some(own), value) if own != value => {
                let (own, value) = (shown(own), shown(value));
                let key = one_line(&at.join("."), SHOWN);
                vec![wish(&at, format!("sets `{key}` to {value}, where your own settings have {own}"))]
            }
            _ => Vec::new(),
        }
    })
    .collect()
}

fn wish(at: &[&str], what: String) -> Wish {
    Wish { at: at.iter().map(|&key| key.to_owned()).collect(), what }
}

fn table<'a>(table: &'a Table, key: &str) -> &'a Table {
    static NONE: std::sync::LazyLock<Table> = std::sync::LazyLock::new(Table::new);
    table.get(key).and_then(Value::as_table).unwrap_or(&NONE)
}

/// A value as it is written, on one line.
fn shown(value: &Value) -> String {
    both_ends(&one_line(&value.to_string(), usize::MAX), SHOWN)
}
