//! What a person reads.

pub(crate) mod asked;
pub(crate) mod audit_difference;
pub(crate) mod audit_table;
mod audit_text;
pub(crate) mod doctor;
pub(crate) mod entry;
pub(crate) mod events;
pub(crate) mod grants;
pub(crate) mod input;
pub(crate) mod journal;
pub(crate) mod json;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod models;
pub(crate) mod output;
pub(crate) mod plugins;
pub(crate) mod question;
pub(crate) mod reloaded;
pub(crate) mod replay;
pub(crate) mod session_tree;
mod spoken;
pub(crate) mod style;
pub(crate) mod transcript;
pub(crate) mod user;
