//! What the tests share: a bed with a real workspace, real plugins and the real dispatcher.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

pub mod bed;
pub mod conform;
pub mod files;
pub mod fuzz;
pub mod hostile;
pub mod models;
pub mod notes;
pub mod recording;
pub mod reference;
pub mod talk;
pub mod three;
