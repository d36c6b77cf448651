//! `session-before-compact`: whether a session is compacted, and with which summary.
