//! A conversation that is too long, in everybody's words.

use super::*;

fn chat(status: u16, message: &str) -> Refusal {
    openai(status, "invalid_request_error", json!(status), message)
}

#[test]
fn a_conversation_that_is_too_long_is_known_in_everybodys_words() {
    let all = [
        anthropic(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
        anthropic(
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 189136 + 20000 > 200000, decrease input length or \
             `max_tokens` and try again",
        ),
        anthropic(413, "request_too_large", "Request exceeds the maximum size"),
        google(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        ),
        google(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
        // OpenAI
        openai(400, "invalid_request_error", json!("context_length_exceeded"), "It is."),
        openai(400, "invalid_request_error", Value::Null, "Your input exceeds the context window of this model."),
        page(413, "413 Request Entity Too Large"),
        refused(413, ""),
        // Others who speak like OpenAI
        json(
            400,
            json!({ "code": "Client specified an invalid argument", "error":
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }),
        ),
        json(
            400,
            json!({ "object": "error", "code": "3051", "type": "invalid_request_error", "message":
            "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length" }),
        ),
        json(
            422,
            json!({ "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: \
            33000 `inputs` tokens and 20 `max_new_tokens`" }),
        ),
        json(
            400,
            json!({ "error": "Trying to keep the first 4912 tokens when context the overflows. However, the model \
            is loaded with context length of only 4096 tokens, which is not enough." }),
        ),
        json(
            400,
            json!({ "error": "The number of tokens to keep from the initial prompt is greater than the context \
            length (n_keep: 13055>= n_ctx: 4096)." }),
        ),
        json(
            500,
            json!({ "error": { "code": 500, "type": "server_error", "message": "Context size has been exceeded." } }),
        ),
        json(400, json!({ "error": { "code": 400, "type": "exceed_context_size_error", "message": "too much" } })),
    ];
    for refusal in all.iter().chain(&words()) {
        let fault = refusal.fault();
        assert_eq!((fault.class, fault.kind), (Class::Overflow, ErrorKind::Overflow), "{}", refusal.body);
    }
    assert_snapshot!(all[0].told(), @"p answered 400: prompt is too long: 213462 tokens > 200000 maximum");
    assert_snapshot!(all[7].told(), @r#"p answered 413: a page for people, "413 Request Entity Too Large""#);
}

/// Those of which the message is all there is.
fn words() -> Vec<Refusal> {
    let messages = [
        // DeepSeek, vLLM
        "This model's maximum context length is 65536 tokens. However, you requested 70144 tokens (66048 in the \
         messages, 4096 in the completion). Please reduce the length of the messages or completion.",
        "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your \
         prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
        "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
        "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
        // OpenRouter
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens.",
        // Groq, Cerebras
        "Please reduce the length of the messages or completion.",
        "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
        // Fireworks
        "The prompt is too long: 40177, model maximum context length: 32767",
        // Moonshot, MiniMax
        "Invalid request: Your request exceeded model token limit: 262144",
        "invalid params, context window exceeds limit",
        // Bedrock
        "Input is too long for requested model.",
        // llama.cpp, LM Studio, Ollama, SGLang
        "the request exceeds the available context size, try increasing it",
        "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
        "prompt too long; exceeded max context length by 27 tokens",
        "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    ];
    messages.map(|message| chat(400, message)).into()
}

#[test]
fn a_limit_of_another_kind_is_no_overflow() {
    for refusal in [
        chat(400, "max_tokens is too large: 200000. This model supports at most 16384 completion tokens."),
        chat(429, "Rate limit reached: prompt is too long for your tokens per minute."),
        openai(413, "tokens", json!("rate_limit_exceeded"), "Request too large, please reduce your message size."),
        chat(400, "max_tokens: 300000 exceeds the context window of 128000"),
        // What is quoted may be what was sent.
        chat(401, "Invalid key. prompt is too long"),
        chat(400, "1 validation error [input_value='the log says prompt is too long']"),
        anthropic(400, "invalid_request_error", "messages.3.content.0.text: text is too long for a title"),
    ] {
        assert_ne!(refusal.fault().class, Class::Overflow, "{}", refusal.body);
    }
}

/// Services that are made with FastAPI quote the request.
#[test]
fn a_body_without_a_message_is_no_overflow_for_its_words() {
    let body = r#"{"detail":[{"loc":["body"],"input":"why does my server say: maximum context length?"}]}"#;
    assert_eq!(Fault::of_status(422, None, body).class, Class::Request);
}
