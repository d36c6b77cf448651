//! What services and local servers say when a conversation is too long, and some other refusals of those that follow
//! Chat Completions.

use serde_json::{Value, json};

use super::Protocol;
use super::errors::{Trouble, json_plan};
use super::plan::Plan;

/// What one of them says.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Who says it, and when.
    pub name: &'static str,
    /// The protocol in which it is said.
    pub protocol: Protocol,
    /// What is meant.
    pub trouble: Trouble,
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Known {
    /// The answer to a request.
    pub fn plan(&self) -> Plan {
        json_plan(self.status, &self.body)
    }
}

fn chat(name: &'static str, trouble: Trouble, status: u16, body: Value) -> Known {
    Known { name, protocol: Protocol::Chat, trouble, status, body }
}

fn overflow(name: &'static str, status: u16, body: Value) -> Known {
    chat(name, Trouble::Overflow, status, body)
}

fn anthropic(name: &'static str, status: u16, kind: &str, message: &str) -> Known {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    Known { name, protocol: Protocol::Anthropic, trouble: Trouble::Overflow, status, body }
}

/// The conversation is too long, in everybody's words.
pub fn overflows() -> Vec<Known> {
    let mut all = services();
    all.extend(local());
    all
}

fn services() -> Vec<Known> {
    let limit = "input length and `max_tokens` exceed context limit: 189136 + 20000 > 200000, decrease input length or \
                 `max_tokens` and try again";
    let gemini = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT",
        "message": "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)." } });
    let responses = json!({ "error": { "type": "invalid_request_error", "param": "input",
        "code": "context_length_exceeded",
        "message": "Your input exceeds the context window of this model. Please adjust your input and try again." } });
    let gemini =
        Known { name: "google", protocol: Protocol::Gemini, trouble: Trouble::Overflow, status: 400, body: gemini };
    let responses =
        Known { name: "openai responses", protocol: Protocol::Responses, body: responses, ..gemini.clone() };
    vec![
        anthropic(
            "anthropic prompt",
            400,
            "invalid_request_error",
            "prompt is too long: 213462 tokens > 200000 maximum",
        ),
        anthropic("anthropic with max_tokens", 400, "invalid_request_error", limit),
        anthropic("anthropic bytes", 413, "request_too_large", "Request exceeds the maximum size"),
        gemini,
        responses,
        overflow(
            "openai chat",
            400,
            json!({ "error": { "type": "invalid_request_error", "param": "messages",
            "code": "context_length_exceeded", "message": "This model's maximum context length is 128000 tokens. \
            However, your messages resulted in 150012 tokens. Please reduce the length of the messages." } }),
        ),
        overflow(
            "openrouter",
            400,
            json!({ "error": { "code": 400, "message": "This endpoint's maximum context length \
            is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length \
            of either one, or use the \"middle-out\" transform to compress your prompt automatically." } }),
        ),
        overflow(
            "groq",
            400,
            json!({ "error": { "message": "Please reduce the length of the messages or completion.",
            "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded" } }),
        ),
        overflow(
            "mistral",
            400,
            json!({ "object": "error", "message": "Prompt contains 65673 tokens and 0 draft \
            tokens, too large for model with 32768 maximum context length", "type": "invalid_request_error",
            "param": null, "code": "3051" }),
        ),
        overflow(
            "deepseek",
            400,
            json!({ "error": { "type": "invalid_request_error", "param": null,
            "code": "invalid_request_error", "message": "This model's maximum context length is 65536 tokens. However, \
            you requested 70144 tokens (66048 in the messages, 4096 in the completion). Please reduce the length of \
            the messages or completion." } }),
        ),
        overflow(
            "xai",
            400,
            json!({ "code": "Client specified an invalid argument", "error": "This model's maximum \
            prompt length is 131072 but the request contains 537812 tokens." }),
        ),
    ]
}

fn local() -> Vec<Known> {
    let vllm = "This model's maximum context length is 4096 tokens. However, you requested 5024 tokens (4000 in the \
                messages, 1024 in the completion). Please reduce the length of the messages or completion.";
    vec![
        overflow(
            "llama.cpp",
            400,
            json!({ "error": { "code": 400, "message": "the request exceeds the available \
            context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 5024,
            "n_ctx": 4096 } }),
        ),
        overflow(
            "vllm, older",
            400,
            json!({ "object": "error", "message": vllm, "type": "BadRequestError",
            "param": null, "code": 400 }),
        ),
        overflow(
            "vllm",
            400,
            json!({ "error": { "message": vllm, "type": "BadRequestError", "param": null,
            "code": 400 } }),
        ),
        overflow(
            "lm studio",
            400,
            json!({ "error": "Trying to keep the first 4912 tokens when context the overflows. \
            However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the \
            model with a larger context length, or provide a shorter input" }),
        ),
    ]
}

/// Other refusals in words of their own.
pub fn others() -> Vec<Known> {
    vec![
        chat(
            "openrouter, no credit",
            Trouble::NoCredit,
            402,
            json!({ "error": { "code": 402, "message": "This request \
            requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 1775. To \
            increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account" } }),
        ),
        chat(
            "deepseek, no credit",
            Trouble::NoCredit,
            402,
            json!({ "error": { "message": "Insufficient Balance",
            "type": "unknown_error", "param": null, "code": "invalid_request_error" } }),
        ),
        chat(
            "openrouter, wrong key",
            Trouble::WrongKey,
            401,
            json!({ "error": { "message": "User not found.",
            "code": 401 } }),
        ),
        chat(
            "ollama, no such model",
            Trouble::NoSuchModel,
            404,
            json!({ "error": { "message": "model \"nonsense\" not \
            found, try pulling it first", "type": "api_error", "param": null, "code": null } }),
        ),
        chat(
            "openrouter, upstream",
            Trouble::RateLimited,
            429,
            json!({ "error": { "message": "Provider returned \
            error", "code": 429, "metadata": { "raw": "nonsense is temporarily rate-limited upstream. Please retry \
            shortly.", "provider_name": "Nonsense" } } }),
        ),
        chat(
            "groq, tokens a minute",
            Trouble::RateLimited,
            413,
            json!({ "error": { "message": "Request too large for \
            model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute \
            (TPM): Limit 12000, Requested 25341, please reduce your message size and try again.", "type": "tokens",
            "code": "rate_limit_exceeded" } }),
        ),
    ]
}
