//! `seam plugins`.

pub(crate) mod figures;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use seam_harness::reach::state;
use seam_plugins::contract::{PACKAGE, SEAMS};
use seam_plugins::{Grants, Plugin};
use seam_session::Session;
use serde_json::{Value, json};

use self::figures::{Counted, Figures};
use crate::args::PluginsArgs;
use crate::commands::run::granted;
use crate::commands::run::plugins::{self as loading, LeftOut, Survey, Wanted};
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::faults;
use crate::lock::Lock;
use crate::sessions::Sessions;
use crate::terminal::output::{Output, complain};
use crate::terminal::plugins as words;
use crate::terminal::style::clean;

/// What there is to tell.
pub(crate) struct Listing {
    pub(crate) folder: Option<PathBuf>,
    /// How many sessions have a journal.
    pub(crate) sessions: usize,
    /// In the order in which they are asked.
    pub(crate) plugins: Vec<Known>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// What is known of a plugin.
pub(crate) struct Known {
    pub(crate) plugin: Plugin,
    /// Its seams, with what came of them.
    pub(crate) seams: Vec<(&'static str, Figures)>,
    pub(crate) total: Figures,
    pub(crate) state: usize,
}

pub(crate) async fn plugins(args: PluginsArgs) -> Result<Exit> {
    let Base { cwd, config, .. } = Base::read(&args.place.cwd, args.place.config.as_deref())?;
    let folder = loading::folder(args.place.plugins.as_deref(), &cwd)?;
    let wanted = Wanted { around: &[], folder: folder.as_deref(), config: &config, lock: None, in_force: &[] };
    let Survey { own, left_out, not_agreed } = loading::survey(&wanted).await?;
    let names = own.iter().map(Plugin::name).chain(left_out.iter().map(|left_out| &*left_out.name));
    config.check_names(&names.collect::<Vec<_>>())?;
    if let Some(lock) = Lock::read(&config)? {
        loading::tell_unlocked(&lock.differences(&Lock::of(&own, &config)));
    }
    let places = granted::places(&cwd, &config, folder.as_deref());
    let refused: Vec<String> = own.iter().filter_map(|plugin| granted::refused_of(plugin, &places)).collect();
    refused.iter().for_each(|refused| complain(&format!("nothing runs: {refused}")));
    if let Some(not_agreed) = &not_agreed {
        not_agreed.faults.iter().for_each(|fault| complain(&format!("nothing runs: {}", clean(fault))));
    }
    let begins = refused.is_empty() && not_agreed.is_none();
    let sessions = Sessions::of(args.session_dir.as_deref(), &cwd)?;
    let listing = listing(folder, own, left_out, &sessions)?;
    let output = Output::default();
    output.print(&if args.json { format!("{:#}\n", json(&listing)) } else { words::render(&listing) });
    Ok(match listing.left_out.is_empty() && begins {
        _ if output.has_failed() => Exit::RunFailed,
        true => Exit::Done,
        false => Exit::PluginFault,
    })
}

fn listing(
    folder: Option<PathBuf>,
    plugins: Vec<Plugin>,
    left_out: Vec<LeftOut>,
    sessions: &Sessions,
) -> Result<Listing> {
    let listed = sessions.list()?;
    let mut counted =
        Counted::of(listed.iter().map(|listed| &*listed.path), &plugins, |problem| complain(&clean(problem)));
    let states = listed.first().map_or_else(|| Ok(BTreeMap::new()), |newest| states(&newest.path));
    let states = states.unwrap_or_else(|error| {
        complain(&format!("what is kept in the newest session is not known: {}", faults::told(&error)));
        BTreeMap::new()
    });
    let known = plugins.into_iter().map(|plugin| {
        let mut figures = counted.plugins.remove(plugin.name()).unwrap_or_default();
        let seams = seams(&plugin).map(|seam| (seam, figures.remove(seam).unwrap_or_default()));
        let seams: Vec<(&'static str, Figures)> = seams.collect();
        let total = seams.iter().map(|(_, figures)| figures).sum();
        let state = states.get(plugin.name()).copied().unwrap_or_default();
        Known { plugin, seams, total, state }
    });
    Ok(Listing { folder, plugins: known.collect(), sessions: counted.sessions, left_out })
}

/// How many bytes each plugin keeps in a session.
fn states(session: &Path) -> Result<BTreeMap<Arc<str>, usize>> {
    Ok(state::sizes(&Session::read(session)?)?)
}

/// The seams that it exports, in the order of the contract.
fn seams(plugin: &Plugin) -> impl Iterator<Item = &'static str> {
    let exports = |seam: &str| {
        let mut exports = plugin.inspection().exports.iter().filter_map(|export| export.interface());
        exports.any(|(package, interface, _)| (package, interface) == (PACKAGE, seam))
    };
    SEAMS.iter().map(|seam| seam.name).filter(move |seam| exports(seam))
}

/// As `seam plugins --help` describes it.
fn json(listing: &Listing) -> Value {
    let figures = |figures: &Figures| {
        json!({
            "calls": figures.calls(),
            "failures": figures.failures,
            "p50Us": figures.percentile(50),
            "p99Us": figures.percentile(99),
        })
    };
    let with = |mut fields: Value, more: Value| {
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        fields
    };
    let plugins = listing.plugins.iter().map(|Known { plugin, seams, total, state }| {
        let seams = seams.iter().map(|(seam, of_seam)| with(json!({ "seam": seam }), figures(of_seam)));
        let plugin = json!({
            "name": plugin.name(),
            "file": plugin.file().to_string_lossy(),
            "digest": plugin.digest().to_string(),
            "mode": if plugin.is_shadow() { "shadow" } else { "active" },
            "grants": Grants { digest: None, ..plugin.grants().clone() },
            "stateBytes": state,
        });
        with(with(plugin, figures(total)), json!({ "seams": seams.collect::<Vec<_>>() }))
    });
    let left_out = listing
        .left_out
        .iter()
        .map(|LeftOut { name, file, why }| json!({ "name": name, "file": file.to_string_lossy(), "problem": why }));
    json!({
        "folder": listing.folder.as_ref().map(|folder| folder.to_string_lossy()),
        "sessions": listing.sessions,
        "plugins": plugins.collect::<Vec<_>>(),
        "notLoaded": left_out.collect::<Vec<_>>(),
    })
}
