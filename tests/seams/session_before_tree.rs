//! `session-before-tree`: whether the user moves in the session's tree.
