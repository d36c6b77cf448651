//! `seam run`.

pub(super) mod granted;
pub(super) mod models;
mod outer;
mod perform;
pub(crate) mod plugins;
mod prompts;
mod protected;
mod reload;
pub(super) mod session;
pub(super) mod start;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use seam_harness::{Harness, Parts, Reason};
use seam_plugins::Plugin;
use seam_session::SessionLog;
use serde_json::json;

use crate::args::RunArgs;
use crate::commands::run::models::Models;
use crate::commands::run::perform::perform;
use crate::commands::run::plugins::Loaded;
use crate::commands::run::prompts::Prompts;
use crate::commands::run::reload::{InForce, Named};
use crate::commands::run::start::Base;
use crate::exit::Exit;
use crate::stop::Stop;
use crate::terminal::input::Input;
use crate::terminal::output::{Output, complain};
use crate::terminal::{events::Terminal, reloaded::Screen, user};

pub(crate) async fn run(args: RunArgs) -> Result<Exit> {
    let named = Named::of(&args);
    let base = named.base()?;
    let asks_a_model = args.prompt.as_ref().is_some_and(|prompt| !prompt.starts_with('!'));
    let models = Models::of(&args.model, &base.config)?;
    let goes_on = args.go_on || args.session.is_some();
    if asks_a_model && !goes_on {
        models.are_enough()?;
    }
    let seen = named.look(&base);
    let Some(mut ground) = base.load(args.plugins.as_deref()).await? else { return Ok(Exit::PluginFault) };
    let Base { cwd, config, .. } = &ground.base;
    let (system_prompt, restore) = (system_prompt(cwd), config.session.missing_tools.into());
    let (mut kept, upkeep) = (session::open(&args, cwd, config)?, config.upkeep());
    if kept.journal.is_none() && ground.loaded.plugins.iter().any(Plugin::is_shadow) {
        complain("what shadows would decide is told nowhere: this run keeps no journal");
    }
    let chosen = models.chosen(kept.log.as_ref());
    if let Some(missing) = chosen.missing().filter(|_| asks_a_model) {
        bail!("{missing}");
    }
    let Some(joined) = ground.join(&kept).await? else { return Ok(Exit::PluginFault) };
    let stop = Stop::on_signals().context("signals cannot be listened to")?;
    let (input, output) = (Input::default(), Output::default());
    let user = if args.json { None } else { user::at_terminal(&stop, &input) };
    let (dispatcher, commands) = joined.dispatcher(user.clone());
    let log = kept.log.take();
    let screen = screen(args.json, &output, &ground.loaded, log.as_ref());
    screen.notes(chosen.notes());
    let sink = screen.sink();
    let (provider, model) = (chosen.provider(), chosen.model().clone());
    let parts = Parts { provider, dispatcher, commands, model, system_prompt, sink, log, restore, upkeep };
    let mut harness = Harness::start(parts).await?;
    chosen.put_in_force(&mut harness);

    let work = async {
        let exit = match args.prompt {
            Some(prompt) => perform(&mut harness, prompt, args.json, &stop.abort(), &output).await,
            None => {
                let in_force = InForce { ground, kept, named, user, screen, seen };
                let prompts = Prompts { input: &input, output: &output, stop: &stop, json: args.json };
                prompts.perform(&mut harness, in_force).await
            }
        };
        harness.close(Reason::Quit).await;
        exit
    };
    tokio::select! {
        exit = work => Ok(exit),
        () = stop.at_once.cancelled() => Ok(Exit::Aborted),
    }
}

fn screen(json: bool, output: &Output, loaded: &Loaded, log: Option<&SessionLog>) -> Screen {
    let output = output.clone();
    if json {
        let session = log.map(|log| json!({ "type": "session", "id": session::id(log), "path": log.session().path() }));
        session.iter().for_each(|session| output.print(&format!("{session}\n")));
        let screen = Screen { output, terminal: None };
        screen.missing(loaded);
        return screen;
    }
    let names: Vec<&str> = loaded.plugins.iter().map(Plugin::name).collect();
    let terminal = Terminal::new(output.clone(), &names).keeping(log.map(session::told));
    let (outer, own) = loaded.plugins.split_at(loaded.outer.min(names.len()));
    terminal.begin(outer, own);
    Screen { output, terminal: Some(Arc::new(terminal)) }
}

fn system_prompt(cwd: &Path) -> String {
    format!(
        "You are a coding agent. You work in {} with the tools you are given. A tool call may be refused or its result \
         changed by the user's plugins; the result then says so. Do not try to get around a refusal.",
        cwd.display()
    )
}
