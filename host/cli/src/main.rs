//! `seam`: runs an agent under the eyes of plugins, and tells what a plugin may do.
//!
//! # Architecture invariants
//!
//! - This crate holds arguments, settings, words and wiring. It decides nothing about a tool call.

mod args;
mod commands;
mod config;
mod exit;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    terminal::log::start();
    let result = match args.command {
        Command::Run(args) => commands::run::run(args).await,
        Command::Audit(args) => commands::audit::audit(&args),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("seam: {error:#}");
            exit::Exit::Usage.into()
        }
    }
}
