//! `prepare-next-turn`: model, level and messages of the next turn.
