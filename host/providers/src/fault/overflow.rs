//! How services say that a conversation is too long for a model.

/// Names that services have for it.
const NAMES: [&str; 5] = [
    "context_length_exceeded",
    "exceed_context_size",
    "request_too_large",
    "context_window_exceeded",
    "model_context_window_exceeded",
];

/// What they write. All parts of one have to be there, in lower case.
const WORDS: [&[&str]; 21] = [
    // Anthropic, Fireworks: "prompt is too long: 213462 tokens > 200000 maximum"
    &["prompt is too long"],
    // Anthropic: "input length and `max_tokens` exceed context limit: 189136 + 20000 > 200000"
    &["exceed context limit"],
    // OpenAI, DeepSeek, OpenRouter, vLLM, Mistral
    &["maximum context length"],
    // OpenAI's Responses, xAI
    &["exceed", "context window"],
    // Gemini: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)"
    &["input token count", "exceeds the maximum"],
    // Gemini: "Request payload size exceeds the limit: 20971520 bytes"
    &["request payload size exceeds"],
    // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens"
    &["maximum prompt length"],
    // Groq, Cerebras: "Please reduce the length of the messages or completion"
    &["reduce the length of the messages"],
    // Together: "`inputs` tokens + `max_new_tokens` must be <= 32768"
    &["`inputs` tokens", "must be <="],
    // MiniMax: "context window exceeds limit"
    &["context window exceeds limit"],
    // Moonshot: "exceeded model token limit: 262144"
    &["exceeded model token limit"],
    // Bedrock, behind OpenRouter and others: "Input is too long for requested model"
    &["input is too long"],
    // llama.cpp: "the request exceeds the available context size"
    &["exceeds the available context size"],
    // llama.cpp, LM Studio: "Context size has been exceeded"
    &["context size has been exceeded"],
    // vLLM: "The decoder prompt (length 9000) is longer than the maximum model length of 4096"
    &["longer than the maximum model length"],
    // vLLM: "The prompt (total length 25938) is too long to fit into the model (context length 4096)"
    &["too long to fit into the model"],
    // SGLang: "The input (61709 tokens) is longer than the model's context length (40960 tokens)"
    &["longer than the model's context length"],
    // LM Studio: "The number of tokens to keep from the initial prompt is greater than the context length"
    &["greater than the context length"],
    // LM Studio: "the model is loaded with context length of only 4096 tokens, which is not enough"
    &["context length of only"],
    // LM Studio: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"
    &["n_keep", "n_ctx"],
    // Ollama: "prompt too long; exceeded max context length by 27 tokens"
    &["exceeded max context length"],
];

/// What tells that the limit of the answer is too large, and nothing else: a shorter conversation does not help then.
const LIMITS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
/// What a message speaks of if it is the conversation that is too long.
const CONVERSATION: [&str; 5] = ["prompt", "input", "messages", "context length", "requested"];

/// Whether this is what they say.
pub(super) fn is(names: &str, message: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if says(&LIMITS) && !says(&CONVERSATION) {
        return false;
    }
    NAMES.iter().any(|name| names.contains(name))
        || WORDS.iter().any(|words| words.iter().all(|word| message.contains(word)))
}
