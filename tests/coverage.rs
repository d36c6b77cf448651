//! Every path that can reach a tool passes the gates.

mod depth;
mod output;
mod paths;
mod tools;
