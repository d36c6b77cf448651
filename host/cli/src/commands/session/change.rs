//! `seam session fork`, `compact` and `go`: what plugins are asked about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use seam_harness::{
    Conversation, Harness, Move, Moved, NewFork, NotCompacted, NotForked, NotMoved, Parts, Reason, fork as make_fork,
};
use seam_plugins::Plugin;
use seam_session::{ForkPoint, NewSession, Session, SessionLog};

use crate::args::{AsksArgs, ModelArgs};
use crate::commands::run::models::Models;
use crate::commands::run::plugins::Loaded;
use crate::commands::run::session::{self, Kept};
use crate::commands::run::start::Base;
use crate::config::Config;
use crate::exit::Exit;
use crate::sessions::{Sessions, short};
use crate::stop::Stop;
use crate::terminal::events::Terminal;
use crate::terminal::output::{Output, complain};
use crate::terminal::style::clean;

/// The settings of what changes this session.
fn base(sessions: &Sessions, asks: &AsksArgs, file: &Path) -> Result<Base> {
    let base = Base::read(&sessions.cwd, asks.config.as_deref())?.locked(asks.locked);
    Ok(base.keeping(&[sessions.root.clone(), file.to_owned()]))
}

/// Makes a new session of one, unless a plugin stops it.
pub(super) async fn fork(sessions: &Sessions, asks: &AsksArgs, source: &Path, point: ForkPoint) -> Result<Exit> {
    let base = base(sessions, asks, source)?;
    let Some(mut ground) = base.load(asks.plugins.as_deref()).await? else { return Ok(Exit::PluginFault) };
    let config = &ground.base.config;
    let kept = recorded(sessions, source, &ground.loaded, config)?;
    let durability = config.session.durability.into();
    let read = Session::read(source)?;
    let conversation = Conversation::of(&read)?;
    let Some(joined) = ground.join_as(conversation, &kept).await? else { return Ok(Exit::PluginFault) };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let (output, folder) = (Output::default(), sessions.made_folder()?);
    let new = NewSession::new(sessions.cwd.to_string_lossy());
    let new = NewFork { point, folder: &folder, new, durability };
    let terminal = terminal(&output, &ground.loaded);
    let made = make_fork(joined.bus(), &*terminal, &read, new, &stop.abort()).await;
    kept.journal.iter().try_for_each(|journal| journal.sync().and_then(|()| journal.save_point()))?;
    match made {
        Ok(log) => {
            let (id, count) = (&log.session().header().id, log.session().entries().len());
            let entries = if count == 1 { "entry" } else { "entries" };
            let go_on = format!("to go on there: seam run --session {} PROMPT", short(id));
            Ok(done(&output, &format!("{id}\n  a new session with {count} {entries}; {go_on}")))
        }
        Err(NotForked::Session(error)) => Err(error.into()),
        Err(why @ NotForked::Aborted) => Ok(not_done(&why, Exit::Aborted)),
        Err(why @ (NotForked::Stopped(_) | NotForked::NotKept)) => Ok(not_done(&why, Exit::RunFailed)),
    }
}

/// Keeps a record of what plugins say about a fork, beside the session. That needs the session to be free and whole, and
/// the fork does not: it can be made of one that is in use or damaged, and then that is told.
fn recorded(sessions: &Sessions, source: &Path, loaded: &Loaded, config: &Config) -> Result<Kept> {
    if loaded.plugins.is_empty() {
        return Ok(session::nothing(Some(sessions.root.clone())));
    }
    match SessionLog::open(source, config.session.durability.into()) {
        Ok(log) => session::keep(log, sessions, config),
        Err(error) => {
            complain(&clean(&format!("what plugins say about this fork is not kept in the journal: {error}")));
            Ok(session::nothing(Some(sessions.root.clone())))
        }
    }
}

/// Makes a session shorter.
pub(super) async fn compact(
    sessions: &Sessions,
    asks: &AsksArgs,
    file: PathBuf,
    model: &ModelArgs,
    focus: Option<&str>,
) -> Result<Exit> {
    let Some(Opened { mut harness, stop, output }) = open(sessions, asks, file, model).await? else {
        return Ok(Exit::PluginFault);
    };
    let compacted = unless_ended(&stop, harness.compact(focus, &stop.abort())).await;
    harness.close(Reason::Quit).await;
    Ok(match compacted {
        None => Exit::Aborted,
        Some(Ok(compacted)) => {
            let (before, after) = (compacted.tokens_before, compacted.tokens_after);
            let summary = clean(&compacted.summary);
            done(&output, &format!("about {before} tokens before, {after} now\n\n{}", summary.trim()))
        }
        Some(Err(why @ NotCompacted::Aborted)) => not_done(&why, Exit::Aborted),
        Some(Err(NotCompacted::Session(error))) => return Err(error.into()),
        Some(Err(why)) => not_done(&why, Exit::RunFailed),
    })
}

/// Moves in the tree of a session.
pub(super) async fn go(
    sessions: &Sessions,
    asks: &AsksArgs,
    file: PathBuf,
    model: &ModelArgs,
    to: &Move,
) -> Result<Exit> {
    let Some(Opened { mut harness, stop, output }) = open(sessions, asks, file, model).await? else {
        return Ok(Exit::PluginFault);
    };
    let moved = unless_ended(&stop, harness.navigate(to, &stop.abort())).await;
    harness.close(Reason::Quit).await;
    Ok(match moved {
        None => Exit::Aborted,
        Some(Ok(moved)) => done(&output, &told(&moved, &to.target)),
        Some(Err(why @ NotMoved::Aborted)) => not_done(&why, Exit::Aborted),
        Some(Err(NotMoved::Session(error))) => return Err(error.into()),
        Some(Err(why)) => not_done(&why, Exit::RunFailed),
    })
}

fn told(Moved { text, summary, moved }: &Moved, target: &str) -> String {
    let place = if text.is_some() { "before" } else { "at" };
    let mut told = if *moved { format!("now {place} {target}") } else { format!("it is {place} {target} already") };
    if let Some(summary) = summary {
        told.push_str(&format!("\n\nkept of what was left:\n{}", clean(summary).trim()));
    }
    if let Some(text) = text {
        told.push_str(&format!("\n\nyou said:\n{}", clean(text)));
    }
    told
}

/// A session that is begun, to do something else in it than to talk.
struct Opened {
    harness: Harness,
    stop: Stop,
    output: Output,
}

/// None: a plugin cannot take part, which was told.
async fn open(sessions: &Sessions, asks: &AsksArgs, file: PathBuf, model: &ModelArgs) -> Result<Option<Opened>> {
    let base = base(sessions, asks, &file)?;
    let models = Models::of(model, &base.config)?;
    let Some(mut ground) = base.load(asks.plugins.as_deref()).await? else { return Ok(None) };
    let config = &ground.base.config;
    let (restore, upkeep) = (config.session.missing_tools.into(), config.upkeep());
    let kept = session::go_on(sessions, file, config)?;
    let Some(joined) = ground.join(&kept).await? else { return Ok(None) };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let (dispatcher, commands) = joined.dispatcher(None);
    let (output, chosen) = (Output::default(), models.chosen(kept.log.as_ref()));
    let sink = terminal(&output, &ground.loaded);
    sink.notes(chosen.notes());
    let (system_prompt, log) = (String::new(), kept.log);
    let (provider, model) = (chosen.provider(), chosen.model().clone());
    let parts = Parts { provider, dispatcher, commands, model, system_prompt, sink, log, restore, upkeep };
    let mut harness = Harness::start(parts).await?;
    chosen.put_in_force(&mut harness);
    Ok(Some(Opened { harness, stop, output }))
}

fn terminal(output: &Output, loaded: &Loaded) -> Arc<Terminal> {
    let names: Vec<&str> = loaded.plugins.iter().map(Plugin::name).collect();
    Arc::new(Terminal::new(output.clone(), &names))
}

/// What comes of it, unless a second signal ends it at once.
async fn unless_ended<T>(stop: &Stop, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = stop.at_once.cancelled() => None,
    }
}

fn done(output: &Output, told: &str) -> Exit {
    output.print(&format!("{}\n", told.trim_end()));
    if output.has_failed() { Exit::RunFailed } else { Exit::Done }
}

fn not_done(why: &dyn std::error::Error, exit: Exit) -> Exit {
    complain(&clean(&why.to_string()));
    exit
}
