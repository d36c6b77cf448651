//! `seam replay`.

mod plugins;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use seam_plugins::Plugin;
use seam_plugins::load::plugin_name;
use seam_plugins::replay::{Counts, Kind, Replay};
use seam_session::journal::{self, Crossing, Record};
use serde_json::json;
use tokio::runtime::Builder;

use crate::args::ReplayArgs;
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::sessions::Sessions;
use crate::terminal::output::{Output, complain};
use crate::terminal::replay as words;
use crate::terminal::style::Style;

pub(crate) fn replay(args: &ReplayArgs) -> Result<Exit> {
    let Base { cwd, config, .. } = Base::read(&args.cwd, args.config.as_deref())?;
    let session = Sessions::of(args.session_dir.as_deref(), &cwd)?.find(&args.session)?;
    let dropped = whole(&session, args)?;
    named(args, &session)?;
    // Guests run one after another: what they did then is one line after another.
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("the thread that a replay needs cannot be started")?;
    runtime.block_on(async {
        let Some(plugins) = plugins::load(args, &cwd, &config).await? else { return Ok(Exit::PluginFault) };
        if dropped > 0 && !args.json {
            complain(&format!("the first {dropped} lines of the journal are gone: it was too long to keep them"));
        }
        made_again(args, &session, &plugins).await
    })
}

/// Whether the journal is as it was written. Gives how many of its lines are no longer kept.
fn whole(session: &Path, args: &ReplayArgs) -> Result<u64> {
    let found = journal::verify(session)?;
    let Some(fault) = found.faults.first() else { return Ok(found.dropped) };
    let place = if fault.line == 0 { String::new() } else { format!(" line {}", fault.line) };
    let more = match found.faults.len() as u64 + found.more {
        1 => String::new(),
        faults => format!(", and {} more", faults - 1),
    };
    bail!(
        "the journal is not as it was written: {}{place} {}{more}; nothing was replayed. `seam journal verify {}` tells \
         all of it",
        fault.file,
        fault.what,
        args.session
    )
}

async fn made_again(args: &ReplayArgs, session: &Path, plugins: &[Plugin]) -> Result<Exit> {
    let mut replay = Replay::new(plugins)?;
    let (output, style) = (Output::default(), Style::for_stdout());
    let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
    for record in journal::read(session)? {
        let (line, record) = record?;
        let Some(difference) = replay.take(line.n, &record).await else { continue };
        *kinds.entry(difference.kind).or_default() += 1;
        output.print(&match args.json {
            true => format!("{}\n", serde_json::to_string(&difference)?),
            false => words::difference(&difference, style),
        });
    }
    let counts = replay.counts();
    if counts.calls == counts.absent {
        bail!("{}", nothing(args, counts));
    }
    output.print(&match args.json {
        true => format!("{}\n", summary(&replay, plugins, &kinds)),
        false => words::summary(&replay, plugins, &kinds, style),
    });
    let missing = counts.absent > 0 && args.instead.is_empty();
    Ok(if counts.different > 0 || missing || output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

/// A file whose name is that of no plugin of the session is a mistake: nothing of it is tried.
fn named(args: &ReplayArgs, session: &Path) -> Result<()> {
    let mut recorded = BTreeSet::new();
    if !args.instead.is_empty() {
        for record in journal::read(session)? {
            if let (_, Record::Crossing(Crossing { plugin, .. })) = record? {
                recorded.insert(plugin.into_owned());
            }
        }
    }
    for file in &args.instead {
        let name = plugin_name(file);
        if !recorded.contains(&name) {
            let names: Vec<&str> = recorded.iter().map(String::as_str).collect();
            bail!(
                "no plugin of the session is called `{name}` (its plugins: {}); name {} as the plugin it should take the \
                 place of",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") },
                file.display()
            );
        }
    }
    Ok(())
}

fn nothing(args: &ReplayArgs, counts: Counts) -> String {
    match counts.absent {
        0 => "the journal holds no call of a plugin; there is nothing to replay".to_owned(),
        _ if args.plugins.is_none() && args.instead.is_empty() => {
            "no plugin of the session is there; name their folder with `--plugins`, or a file with `--plugin`"
                .to_owned()
        }
        _ => "no plugin of the session is among those that were named; nothing was replayed".to_owned(),
    }
}

fn summary(replay: &Replay, plugins: &[Plugin], kinds: &BTreeMap<Kind, u64>) -> serde_json::Value {
    let Counts { calls, same, different, given_up, keys, absent } = replay.counts();
    let plugins = replay.recorded().iter().map(|(name, recorded)| {
        let now = plugins.iter().find(|plugin| plugin.name() == name);
        json!({
            "name": name,
            "calls": recorded.calls,
            "digests": recorded.digests,
            "settings": recorded.settings,
            "nowDigest": now.map(|plugin| plugin.digest().to_string()),
            "nowSettings": now.map(Plugin::settings_digest),
        })
    });
    json!({
        "summary": { "calls": calls, "same": same, "different": different, "givenUp": given_up, "keys": keys, "absent": absent },
        "kinds": kinds,
        "plugins": plugins.collect::<Vec<_>>(),
    })
}
