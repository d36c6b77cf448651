//! What the tests share: a bed with a real workspace, real plugins and the real dispatcher.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on stops")]

pub mod bed;
pub mod files;
