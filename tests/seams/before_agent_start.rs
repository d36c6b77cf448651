//! `before-agent-start`: what goes with a prompt.
