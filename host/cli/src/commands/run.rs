//! `seam run`.

mod outer;
mod plugins;
mod protected;
mod session;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use seam_harness::seams::{Said, Source};
use seam_harness::{Conversation, Dispatcher, Harness, Heard, HostRules, Parts, Reason, Sink, ToolSet};
use seam_loop::{Model, Origin, Provider, RunOutcome, StopReason};
use seam_plugins::{Connected, Plugin, connect};
use seam_providers::scripted::{Script, Scripted};
use seam_session::SessionLog;
use seam_tools::Workspace;
use serde_json::json;

use crate::args::RunArgs;
use crate::commands::run::outer::Rules;
use crate::commands::run::plugins::Loaded;
use crate::config::Config;
use crate::exit::Exit;
use crate::stop::Stop;
use crate::terminal::output::{Output, complain};
use crate::terminal::{events::Terminal, json::JsonLines, style, user};

pub(crate) async fn run(args: RunArgs) -> Result<Exit> {
    let cwd = args.cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", args.cwd.display()))?;
    let (config, config_file) = Config::read(args.config.as_deref(), &cwd)?;
    let provider = provider(args.script.as_deref())?;
    let folder = plugins::folder(args.plugins.as_deref(), &cwd)?;
    let around = match outer::around() {
        Ok(around) => around,
        Err(fault) => {
            plugins::complain_of_outer(&fault);
            return Ok(Exit::PluginFault);
        }
    };
    let loaded = plugins::load(&around, folder.as_deref(), &config).await?;
    let Some(loaded) = loaded else { return Ok(Exit::PluginFault) };
    let own: Vec<&str> = loaded.own.iter().map(Plugin::name).collect();
    config.check_names(&own, &config_file)?;
    let within = outer::value(&around, Rules::of(&loaded.own, &config_file)?)?;

    let mut workspace = Workspace::open(&cwd, &config.workspace.outside)
        .with_context(|| format!("the workspace {} cannot be opened", cwd.display()))?;
    if let Some(value) = within {
        workspace = workspace.with_variable(outer::VARIABLE, value);
    }
    let read_only = keep_output(&mut workspace);
    let own = seam_tools::tools(&Arc::new(workspace));
    let session = session::open(&args, &cwd, &config)?;
    let conversation =
        session.log.as_ref().map_or_else(Conversation::default, |log| Conversation::new(session::id(log)));
    let connected = connect(&loaded.plugins, Arc::new(conversation), own).await;
    let Connected { bus, tools, commands, errors } = connected;
    if !errors.is_empty() {
        session.leave();
        plugins::complain_of(&errors, &loaded, folder.as_deref());
        return Ok(Exit::PluginFault);
    }
    let tools = ToolSet::new(tools)?;
    let usual = [cwd.join("seam.toml"), cwd.join(".seam"), cwd.join(".seam/plugins"), config_file];
    let named: Vec<PathBuf> = usual.into_iter().chain(folder).chain(session.files()).collect();
    let rules = HostRules {
        outside: config.workspace.outside.clone(),
        read_only,
        protected: protected::paths(&named, &loaded.plugins, &around),
    };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let user = if args.json { None } else { user::at_terminal(&stop.abort) };
    let dispatcher = Dispatcher::new(tools, bus, rules, user);
    let model = Model { provider: provider.name().to_owned(), id: "scripted".to_owned() };
    let output = Output::default();
    let sink = sink(args.json, &output, &loaded, session.log.as_ref());
    let system_prompt = system_prompt(&cwd);
    let parts = Parts { provider, dispatcher, commands, model, system_prompt, sink, log: session.log };
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

/// Lets long output of commands be kept. Gives the folder; without one the run goes on, and the model sees the end only.
fn keep_output(workspace: &mut Workspace) -> Vec<PathBuf> {
    match workspace.keep_output() {
        Ok(folder) => vec![folder.to_owned()],
        Err(error) => {
            tracing::warn!("long output of commands is not kept for the model: {error}");
            Vec::new()
        }
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
    let terminal = Terminal::new(output.clone(), &names);
    let (outer, own) = names.split_at(loaded.outer.min(names.len()));
    terminal.begin(outer, own, log.map(session::told).as_deref());
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

fn provider(script: Option<&Path>) -> Result<Arc<dyn Provider>> {
    let Some(file) = script else {
        bail!("there is no model to ask: give `--script FILE`, a JSON file whose `turns` play the model");
    };
    let script = Script::read(file)?;
    Ok(Arc::new(Scripted::new(script)))
}

fn system_prompt(cwd: &Path) -> String {
    format!(
        "You are a coding agent. You work in {} with the tools you are given. A tool call may be refused or its result \
         changed by the user's plugins; the result then says so. Do not try to get around a refusal.",
        cwd.display()
    )
}
