//! `commands`: commands that a plugin offers.
