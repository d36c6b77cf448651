//! What plugins may be granted: each import interface with a real plugin, with and without its grant.

mod abort;
mod asks;
mod call_tool;
mod child;
mod clocks;
mod complete;
mod environment;
mod exec;
mod files;
mod http;
mod messages;
mod models;
mod session;
mod state;
mod steps;
mod ui;
