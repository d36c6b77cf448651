//! `finish-turn`: whether a run goes on.
