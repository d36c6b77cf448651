//! `seam run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use etcetera::BaseStrategy as _;
use seam_harness::{Dispatcher, Harness, HostRules, ToolSet};
use seam_loop::{CancellationToken, EventSink, Model, Provider, StopReason};
use seam_plugins::{Plugin, PluginEngine, connect};
use seam_providers::scripted::{Script, Scripted};
use seam_tools::Workspace;

use crate::args::RunArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::terminal::{events::Terminal, json::JsonLines, user};

pub(crate) async fn run(args: RunArgs) -> Result<Exit> {
    let cwd = args.cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", args.cwd.display()))?;
    let (config, config_file) = Config::read(args.config.as_deref(), &cwd)?;
    let provider = provider(args.script.as_deref())?;
    let folder = plugin_folder(args.plugins.as_deref(), &cwd);
    let Some(plugins) = load_plugins(folder.as_deref(), &config).await? else { return Ok(Exit::PluginFault) };
    let names: Vec<&str> = plugins.iter().map(Plugin::name).collect();
    config.check_names(&names, &config_file)?;

    let workspace = Workspace::open(&cwd, &config.workspace.outside)
        .with_context(|| format!("the workspace {} cannot be opened", cwd.display()))?;
    let tools = ToolSet::new(seam_tools::tools(&Arc::new(workspace)))?;
    let rules = HostRules {
        outside: config.workspace.outside.clone(),
        protected: protected(&cwd, &config_file, folder.as_deref()),
    };
    let user = if args.json { None } else { user::at_terminal() };
    let dispatcher = Dispatcher::new(tools, connect(&plugins), rules, user);
    let model = Model { provider: provider.name().to_owned(), id: "scripted".to_owned() };
    let mut harness = Harness::new(provider, dispatcher, model, system_prompt(&cwd));

    let events: Box<dyn EventSink> = if args.json { Box::new(JsonLines) } else { Box::new(Terminal::new(&names)) };
    let abort = abort_on_ctrl_c();
    let outcome = harness.prompt(&args.prompt, &*events, &abort).await;
    Ok(match outcome.stop_reason {
        StopReason::Aborted => Exit::Aborted,
        StopReason::Error => {
            eprintln!("seam: the run failed: {}", outcome.error.unwrap_or_default());
            Exit::RunFailed
        }
        StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred => Exit::Done,
    })
}

fn provider(script: Option<&Path>) -> Result<Arc<dyn Provider>> {
    let Some(file) = script else {
        bail!("there is no model to ask: give `--script FILE`, a JSON file whose `turns` play the model");
    };
    let script = Script::read(file)?;
    Ok(Arc::new(Scripted::new(script)))
}

fn plugin_folder(named: Option<&Path>, cwd: &Path) -> Option<PathBuf> {
    let usual = cwd.join(".seam").join("plugins");
    named.map(Path::to_owned).or_else(|| usual.is_dir().then_some(usual))
}

/// Loads the folder. With a file that cannot be loaded nothing runs: it may be the one that says no.
async fn load_plugins(folder: Option<&Path>, config: &Config) -> Result<Option<Vec<Plugin>>> {
    let Some(folder) = folder else { return Ok(Some(Vec::new())) };
    let engine = PluginEngine::new(cache_folder())?;
    let (plugins, errors) = engine
        .load_folder(folder, |name| config.settings(name))
        .await
        .with_context(|| format!("the plugin folder {} cannot be read", folder.display()))?;
    if errors.is_empty() {
        return Ok(Some(plugins));
    }
    for error in &errors {
        eprintln!("seam: plugin not loaded: {error}");
    }
    eprintln!(
        "seam: nothing was run, since what is not loaded cannot refuse. To run without a plugin, take its file out of {}.",
        folder.display()
    );
    Ok(None)
}

fn cache_folder() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.cache_dir().join("seam").join("compiled"))
}

/// What the agent's own tools may not write: the settings and the plugins.
fn protected(cwd: &Path, config_file: &Path, plugins: Option<&Path>) -> Vec<PathBuf> {
    let usual = [cwd.join("seam.toml"), cwd.join(".seam")];
    let named = [Some(config_file), plugins].into_iter().flatten().filter_map(|path| path.canonicalize().ok());
    usual.into_iter().chain(named).collect()
}

fn system_prompt(cwd: &Path) -> String {
    format!(
        "You are a coding agent. You work in {} with the tools you are given. A tool call may be refused or its result \
         changed by the user's plugins; the result then says so. Do not try to get around a refusal.",
        cwd.display()
    )
}

fn abort_on_ctrl_c() -> CancellationToken {
    let abort = CancellationToken::new();
    let fire = abort.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            fire.cancel();
        }
    });
    abort
}
