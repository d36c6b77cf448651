//! One module per command.

pub(crate) mod audit;
pub(crate) mod run;
pub(crate) mod session;
