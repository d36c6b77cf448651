//! Faults of neighbouring systems, as tests: see `bugs.md` for which test holds which row.

mod changes;
mod clocked;
mod commands;
mod effect;
mod failures;
mod limits;
mod links;
mod parts;
mod program;
mod reentry;
mod results;
mod table;
mod verdicts;
mod ways;
