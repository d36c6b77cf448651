//! `convert-to-llm`: what the model sees of a plugin's own messages.
