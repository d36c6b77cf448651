//! `transform-context`: which messages the model is shown.
