//! `seam run`.

mod outer;
pub(super) mod plugins;
mod protected;
pub(super) mod session;
pub(super) mod start;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use seam_harness::seams::{Said, Source};
use seam_harness::{Harness, Heard, Parts, Reason, Sink};
use seam_loop::{Origin, RunOutcome, StopReason};
use seam_plugins::Plugin;
use seam_session::SessionLog;
use serde_json::json;

use crate::args::RunArgs;
use crate::commands::run::plugins::Loaded;
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::stop::Stop;
use crate::terminal::output::{Output, complain};
use crate::terminal::{events::Terminal, json::JsonLines, style, user};

pub(crate) async fn run(args: RunArgs) -> Result<Exit> {
    let base = Base::read(&args.cwd, args.config.as_deref())?;
    let script = args.script.as_deref();
    let asks_a_model = !args.prompt.starts_with('!');
    let provider = if asks_a_model { start::provider(script)? } else { start::provider_if_any(script)? };
    let Some(mut ground) = base.load(args.plugins.as_deref()).await? else { return Ok(Exit::PluginFault) };
    let Base { cwd, config, .. } = &ground.base;
    let (system_prompt, restore) = (system_prompt(cwd), config.session.missing_tools.into());
    let (session, upkeep) = (session::open(&args, cwd, config)?, config.upkeep());
    if session.journal.is_none() && ground.loaded.plugins.iter().any(Plugin::is_shadow) {
        complain("what shadows would decide is told nowhere: this run keeps no journal");
    }
    let Some(joined) = ground.join(&session).await? else { return Ok(Exit::PluginFault) };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let user = if args.json { None } else { user::at_terminal(&stop.abort) };
    let (dispatcher, commands) = joined.dispatcher(user);
    let model = start::model(&*provider);
    let output = Output::default();
    let sink = sink(args.json, &output, &ground.loaded, session.log.as_ref());
    let parts = Parts { provider, dispatcher, commands, model, system_prompt, sink, log: session.log, restore, upkeep };
    let mut harness = Harness::start(parts).await?;

    let work = async {
        let exit = perform(&mut harness, args, &stop, &output).await;
        harness.close(Reason::Quit).await;
        exit
    };
    tokio::select! {
        exit = work => Ok(exit),
        () = stop.at_once.cancelled() => Ok(Exit::Aborted),
    }
}

/// Does what the prompt says: a command line after `!`, a command after `/`, or a run.
async fn perform(harness: &mut Harness, args: RunArgs, stop: &Stop, output: &Output) -> Exit {
    if let Some(command) = args.prompt.strip_prefix('!') {
        let settled = harness.call(Origin::User, "bash", json!({ "command": command }), &stop.abort).await;
        return match settled.output.is_error {
            true if stop.abort.is_cancelled() => Exit::Aborted,
            true => Exit::RunFailed,
            false => Exit::Done,
        };
    }
    let source = if args.json { Source::Program } else { Source::User };
    let said = Said { text: args.prompt, images: Vec::new(), source };
    match harness.say(said, &stop.abort).await {
        Heard::Ran(outcome) => exit(outcome, output),
        Heard::Replied(reply) if args.json => {
            output.print(&format!("{}\n", json!({ "type": "reply", "text": reply })));
            Exit::Done
        }
        Heard::Replied(reply) => {
            output.print(&format!("{}\n", style::clean(&reply)));
            Exit::Done
        }
        Heard::Failed(reason) => {
            complain(&style::clean(&reason));
            Exit::RunFailed
        }
    }
}

fn sink(json: bool, output: &Output, loaded: &Loaded, log: Option<&SessionLog>) -> Arc<dyn Sink> {
    if json {
        let session = log.map(|log| json!({ "type": "session", "id": session::id(log), "path": log.session().path() }));
        session.iter().for_each(|session| output.print(&format!("{session}\n")));
        return Arc::new(JsonLines(output.clone()));
    }
    let names: Vec<&str> = loaded.plugins.iter().map(Plugin::name).collect();
    let terminal = Terminal::new(output.clone(), &names).keeping(log.map(session::told));
    let (outer, own) = loaded.plugins.split_at(loaded.outer.min(names.len()));
    terminal.begin(outer, own);
    Arc::new(terminal)
}

fn exit(outcome: RunOutcome, output: &Output) -> Exit {
    match outcome.stop_reason {
        StopReason::Aborted => Exit::Aborted,
        StopReason::Error => {
            complain(&format!("the run failed: {}", style::clean(&outcome.error.unwrap_or_default())));
            Exit::RunFailed
        }
        _ if output.has_failed() => Exit::RunFailed,
        StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred => Exit::Done,
    }
}

fn system_prompt(cwd: &Path) -> String {
    format!(
        "You are a coding agent. You work in {} with the tools you are given. A tool call may be refused or its result \
         changed by the user's plugins; the result then says so. Do not try to get around a refusal.",
        cwd.display()
    )
}
