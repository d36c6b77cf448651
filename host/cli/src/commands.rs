//! One module per command.

pub(crate) mod audit;
pub(crate) mod doctor;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod models;
pub(crate) mod plugins;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod trust;
