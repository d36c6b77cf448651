//! How services say that a conversation is too long for a model.

/// Names that services have for it.
const NAMES: [&str; 3] = ["context_length_exceeded", "exceed_context_size", "request_too_large"];

/// What they write. All parts of one have to be there, in lower case.
const WORDS: [&[&str]; 12] = [
    // Anthropic
    &["prompt is too long"],
    &["exceed context limit"],
    // OpenAI and those who speak like it
    &["maximum context length"],
    &["context window", "exceed"],
    // Gemini
    &["input token count", "exceeds the maximum"],
    // xAI
    &["maximum prompt length"],
    // Groq
    &["reduce the length of the messages"],
    // OpenRouter, vLLM
    &["context length is", "tokens"],
    // Mistral
    &["too large for model with", "maximum context"],
    // llama.cpp
    &["exceeds the available context size"],
    // LM Studio, Ollama
    &["greater than the context length"],
    &["prompt", "exceeds", "context length"],
];

/// Whether this is what they say.
pub(super) fn is(names: &str, message: &str) -> bool {
    NAMES.iter().any(|name| names.contains(name))
        || WORDS.iter().any(|words| words.iter().all(|word| message.contains(word)))
}
