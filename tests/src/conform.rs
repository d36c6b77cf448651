//! Conformance: runs a scenario on the real loop and the real dispatcher and records what happens.
//!
//! A scenario is a JSON file: an agent, tools, the answers of a scripted provider, what hooks do, steps. Its recording is
//! JSON too: a trace, the requests, the transcript, the runs of the tools. [`record`] makes one, [`differences`] compares
//! it with that of the reference loop, [`print()`] writes it down. Nothing here decides anything about a run: hooks, tools
//! and listeners do what the scenario says and record that they did.

mod actions;
mod agent;
mod clock;
mod compare;
mod edit;
mod events;
mod hooks;
mod json;
mod parse;
mod print;
mod provider;
mod render;
mod rules;
mod run;
mod shape;
mod stage;
mod tape;
mod tools;

pub use compare::differences;
pub use print::print;
pub use run::record;
