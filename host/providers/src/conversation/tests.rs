//! What a model is told of a conversation in which others had a part.
