//! `input`: what the user says.
