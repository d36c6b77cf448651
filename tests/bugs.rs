//! Faults of neighbouring systems, as tests: see `bugs.md` for which test holds which row.

mod changes;
mod clocked;
mod commands;
mod effect;
mod failures;
mod limits;
mod links;
mod loading;
mod parts;
mod program;
mod reentry;
mod results;
pub(crate) mod table;
mod verdicts;
mod ways;
