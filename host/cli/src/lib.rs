//! `seam`: runs an agent under the eyes of plugins, and tells what a plugin may do.
//!
//! # Architecture invariants
//!
//! - This crate holds arguments, settings, words and wiring. It decides nothing about a tool call.

mod args;
mod commands;
pub mod config;
mod exit;
mod export;
mod faults;
mod lock;
mod open_files;
mod sessions;
mod stop;
mod terminal;
mod threads;
mod trust;
mod wanted;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::terminal::output::complain;

/// What the binary does: it reads the arguments of the process and does what they say.
pub fn main() -> ExitCode {
    let args = Args::parse();
    terminal::log::start();
    open_files::allow_more();
    let exit = perform(args.command).unwrap_or_else(|error| {
        complain(&faults::told(&error));
        Exit::Usage
    });
    exit.into()
}

fn perform(command: Command) -> Result<Exit> {
    match command {
        Command::Audit(args) => commands::audit::audit(&args),
        Command::Lock(args) => threads::with_threads(commands::lock::lock(args)),
        Command::Models(args) => threads::with_threads(commands::models::models(args)),
        Command::Doctor(args) => threads::with_threads(commands::doctor::doctor(args)),
        Command::Plugins(args) => threads::with_threads(commands::plugins::plugins(args)),
        Command::Trust(args) => threads::with_threads(commands::trust::trust(args)),
        Command::Journal(args) => commands::journal::journal(&args),
        Command::Replay(args) => commands::replay::replay(&args),
        Command::Session(args) => commands::session::session(&args),
        Command::Run(args) => threads::with_threads(commands::run::run(args)),
    }
}
