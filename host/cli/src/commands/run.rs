//! `seam run`.

mod plugins;
mod protected;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use seam_harness::{Dispatcher, Harness, HostRules, ToolSet};
use seam_loop::{EventSink, Model, Provider, RunOutcome, StopReason};
use seam_plugins::{Plugin, connect};
use seam_providers::scripted::{Script, Scripted};
use seam_tools::Workspace;

use crate::args::RunArgs;
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
    let Some(plugins) = plugins::load(folder.as_deref(), &config).await? else { return Ok(Exit::PluginFault) };
    let names: Vec<&str> = plugins.iter().map(Plugin::name).collect();
    config.check_names(&names, &config_file)?;

    let workspace = Workspace::open(&cwd, &config.workspace.outside)
        .with_context(|| format!("the workspace {} cannot be opened", cwd.display()))?;
    let tools = ToolSet::new(seam_tools::tools(&Arc::new(workspace)))?;
    let rules = HostRules {
        outside: config.workspace.outside.clone(),
        protected: protected::paths(&cwd, &config_file, folder.as_deref(), &plugins),
    };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let user = if args.json { None } else { user::at_terminal(&stop.abort) };
    let dispatcher = Dispatcher::new(tools, connect(&plugins), rules, user);
    let model = Model { provider: provider.name().to_owned(), id: "scripted".to_owned() };
    let mut harness = Harness::new(provider, dispatcher, model, system_prompt(&cwd));

    let output = Output::default();
    let events = sink(args.json, &output, &names);
    let outcome = tokio::select! {
        outcome = harness.prompt(&args.prompt, &*events, &stop.abort) => outcome,
        () = stop.at_once.cancelled() => return Ok(Exit::Aborted),
    };
    Ok(exit(outcome, &output))
}

fn sink(json: bool, output: &Output, plugins: &[&str]) -> Box<dyn EventSink> {
    if json {
        return Box::new(JsonLines(output.clone()));
    }
    let terminal = Terminal::new(output.clone(), plugins);
    terminal.begin(plugins);
    Box::new(terminal)
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
