//! `tools`: tools that a plugin offers.
