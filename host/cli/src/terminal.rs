//! What a person reads.

pub(crate) mod audit_difference;
pub(crate) mod audit_table;
pub(crate) mod entry;
pub(crate) mod events;
pub(crate) mod journal;
pub(crate) mod json;
pub(crate) mod log;
pub(crate) mod output;
pub(crate) mod question;
pub(crate) mod replay;
pub(crate) mod session_tree;
pub(crate) mod style;
pub(crate) mod transcript;
pub(crate) mod user;
