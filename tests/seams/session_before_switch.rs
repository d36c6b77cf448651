//! `session-before-switch`: whether a session is left.
