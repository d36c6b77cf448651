//! Every test that needs more than one crate: real plugins, real files, real processes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
#![allow(missing_docs, reason = "a test's name says what it holds")]

mod audit;
mod bugs;
mod cli;
mod conformance;
mod coverage;
#[cfg(target_os = "linux")]
mod crash;
mod fuzz;
mod hostile;
mod house;
mod loading;
mod providers;
mod reach;
mod reload;
mod replay;
mod seams;
mod sessions;
