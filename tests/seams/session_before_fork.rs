//! `session-before-fork`: whether a session is forked.
