//! `seam`: runs an agent under the eyes of plugins, and tells what a plugin may do.
//!
//! # Architecture invariants
//!
//! - This crate holds arguments, settings, words and wiring. It decides nothing about a tool call.

mod args;
mod commands;
mod config;
mod exit;
mod faults;
mod sessions;
mod stop;
mod terminal;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use tokio::runtime::Builder;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::terminal::output::complain;

/// How long blocking work that is left at the end may take to finish, such as a write. Then it is abandoned.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// After so many steps of other work, signals and timers are looked at. A guest that computes gives way every 5 ms, and
/// as many of them as there are threads must not keep Ctrl-C from being noticed.
const EVENT_INTERVAL: u32 = 8;

fn main() -> ExitCode {
    let args = Args::parse();
    terminal::log::start();
    let exit = perform(args.command).unwrap_or_else(|error| {
        complain(&faults::told(&error));
        Exit::Usage
    });
    exit.into()
}

fn perform(command: Command) -> Result<Exit> {
    let args = match command {
        Command::Audit(args) => return commands::audit::audit(&args),
        Command::Session(args) => return commands::session::session(&args),
        Command::Run(args) => args,
    };
    let runtime = Builder::new_multi_thread().enable_all().event_interval(EVENT_INTERVAL).build();
    let runtime = runtime.context("the threads that a run needs cannot be started")?;
    let result = runtime.block_on(commands::run::run(args));
    runtime.shutdown_timeout(LAST_MOMENT);
    result
}
