//! Real runs that die, or whose disk fails them, and what is left of their sessions.
//!
//! Each run is a process of the binary with real tools and real plugins. What it printed as a line of `--json` before it
//! died was acknowledged: that has to be in the file. Every tool call of a script leaves a mark of its own in the project:
//! a second mark is a call that was made twice.
//!
//! On Linux alone: the faults are a library in front of the C library, and the small disk is in a namespace of its own.

mod after;
mod bed;
mod chance;
mod disk;
mod faults;
mod full_disk;
mod history;
mod journal;
mod kills;
mod marks;
mod ran;
mod round;
mod said;
mod script;
mod tally;
