//! One module per command.

pub(crate) mod audit;
pub(crate) mod journal;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod session;
